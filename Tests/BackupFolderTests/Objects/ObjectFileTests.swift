import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

@Suite("Objects in the folder")
struct ObjectFileTests {
  private let scene: Scene
  private let path: String
  private let whole: Data

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
    let node = try SilentComputer(scene)
    try node.add(.large("channels ", size: 200_000))
    let folder = try scene.namespacePath + "/keybackup/objects"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    try #require(names.count == 1)
    path = folder + "/" + names[0]
    whole = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(names[0] == "\(Digest(of: Array(whole).span)).bin")
  }

  /// Reads the only version; returns the state of its object and what reading it throws.
  private func read() throws -> (StoredVersion.ObjectState, BackupFolderError?) {
    let open = try scene.unlock("b")
    let version = try #require(try open.file().versions.first)
    do throws(BackupFolderError) {
      try open.read(version) { _ in }
      return (version.object, nil)
    } catch {
      return (version.object, error)
    }
  }

  @Test
  func `A whole object is read`() throws {
    #expect(try read() == (.here, nil))
  }

  @Test
  func `A missing or cut-off object is awaited, a changed one is damaged`() throws {
    let url = URL(fileURLWithPath: path)
    try whole.prefix(100_000).write(to: url)
    #expect(try read() == (.wrongSize, .file(.contentsIncomplete)))
    var holed = whole
    holed.replaceSubrange(70_000..<71_000, with: Data(repeating: 0, count: 1000))
    try holed.write(to: url)
    #expect(try read() == (.here, .file(.contentsIncomplete)))
    var changed = whole
    changed[150_000] ^= 1
    try changed.write(to: url)
    #expect(try read() == (.here, .file(.contentsDamaged)))
    try (whole + Data([1])).write(to: url)
    #expect(try read() == (.wrongSize, .file(.contentsDamaged)))
    try FileManager.default.removeItem(atPath: path)
    #expect(try read() == (.missing, .file(.contentsMissing)))
    try whole.write(to: URL(fileURLWithPath: scene.base + "/elsewhere"))
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: scene.base + "/elsewhere")
    #expect(try read().0 == .missing)
    #expect(try read().1 != nil)
    try FileManager.default.removeItem(atPath: path)
    try whole.write(to: url)
    #expect(try read() == (.here, nil))
  }

  /// A log grows all the time.
  @Test(arguments: [1_000, 200_000])
  func `What a file grows by while it is read is left out`(size: Int) throws {
    let path = scene.base + "/growing"
    let text = String(repeating: "0123456789", count: size / 10)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    let contents = try FileContents(descriptor: file.fileDescriptor)
    let found = try contents.digest { false }
    try file.seekToEnd()
    try file.write(contentsOf: Data(repeating: 1, count: 100_000))
    let prepared = try ObjectFolder.prepare(
      contents, found: found, hedge: .random(count: 32), in: scene.open("a").namespace(), tag: "t"
    ) { _ in }
    #expect(prepared.version.size == UInt64(size) && prepared.version.content == found.digest)
  }

  @Test
  func `What a sink refuses ends the reading`() throws {
    let open = try scene.unlock("b")
    let version = try #require(try open.file().versions.first)
    var pieces = 0
    #expect(throws: BackupFolderError.diskFull(path: "out")) {
      try open.read(version) { (_) throws(BackupFolderError) in
        pieces += 1
        if pieces == 2 { throw .diskFull(path: "out") }
      }
    }
    #expect(pieces == 2)
  }

  // MARK: Copies

  /// A folder beside the backup with a file under the object's name.
  private func source(_ name: String, _ bytes: Data?) throws -> ObjectFolder {
    let folder = scene.base + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = URL(fileURLWithPath: folder + "/" + URL(fileURLWithPath: path).lastPathComponent)
    try bytes?.write(to: file)
    return ObjectFolder(directory: try Directory.open(path: folder))
  }

  private func copy(_ sources: ObjectFolder...) throws {
    try ObjectFolder.copy(
      Digest(of: Array(whole).span), contents: 200_000, from: sources,
      into: scene.open("a").namespace(), tag: "test")
  }

  private var changed: Data {
    var bytes = whole
    bytes[150_000] ^= 1
    return bytes
  }

  @Test
  func `A copy takes the place of other bytes only when it is whole`() throws {
    let url = URL(fileURLWithPath: path)
    let bad = try [
      source("damaged", changed), source("cut", whole.prefix(100_000)), source("none", nil),
    ]
    for present in [changed, whole.prefix(100_000), Data()] {
      try present.write(to: url)
      #expect(throws: BackupFolderError.file(.contentsIncomplete)) { try copy(bad[0], bad[1]) }
      #expect(throws: BackupFolderError.file(.contentsDamaged)) { try copy(bad[0], bad[2]) }
      #expect(throws: BackupFolderError.file(.contentsMissing)) { try copy(bad[2]) }
      #expect(try Data(contentsOf: url) == present)
      try copy(bad[0], bad[1], source("good", whole))
      #expect(try Data(contentsOf: url) == whole)
    }
    // What is whole is not written again.
    let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    try copy(source("good", whole))
    let after = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    #expect(before != nil && before == after)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: url.deletingLastPathComponent().path)
    #expect(names == [url.lastPathComponent])
  }

  @Test
  func `A source that cannot be read leaves the turn to the next one`() throws {
    let name = URL(fileURLWithPath: path).lastPathComponent
    for folder in ["/backing", "/mount"] {
      try FileManager.default.createDirectory(
        atPath: scene.base + folder, withIntermediateDirectories: false)
    }
    try whole.write(to: URL(fileURLWithPath: scene.base + "/backing/" + name))
    let system = try FailingFileSystem(
      backing: scene.base + "/backing", path: scene.base + "/mount")
    defer { system.unmount() }
    try system.tell("rule op=read name=*.bin errno=EIO")
    let failing = ObjectFolder(directory: try Directory.open(path: scene.base + "/mount"))
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: BackupFolderError.file(.contentsIncomplete)) { try copy(failing) }
    try copy(failing, source("good", whole))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
  }

  @Test func `A folder with an object's name is put aside, with all that is in it`() throws {
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: path + "/theirs"))
    try copy(try source("good", whole))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let aside = try #require(names.first { $0.hasPrefix("put-aside-") })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/" + aside) == ["theirs"])
  }

  @Test func `An empty folder with an object's name gives way`() throws {
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try copy(try source("good", whole))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

extension OpenNamespace {
  /// The path of a version's object.
  fileprivate func objectPath(of version: StoredVersion, in folder: String) throws -> String {
    let place = try #require(
      fileState.versions.versions.first { $0.operation == version.operation })
    guard case .object(let name, _) = place.put.version.place else { throw FileObstacleExpected() }
    return folder + "/" + FolderLayout.objectFile(name)
  }
}

/// A version that should have an object has none.
private struct FileObstacleExpected: Error {}

@Suite("Old versions of large files")
struct RetentionTests {
  private let scene: Scene
  private let node: SilentComputer
  private static let start: UInt64 = 1_700_000_000
  private static let day: UInt64 = 24 * 3600

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
    node = try SilentComputer(scene)
    for count in 1...15 { try node.add(.large("\(count) ")) }
    try node.add(.of("small"), "small")
    try node.add(.of("smaller"), "small")
  }

  private var objects: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(
        atPath: scene.namespacePath + "/keybackup/objects"
      ).count
    }
  }

  @Test
  func `A version goes when it was replaced for seven days and has enough newer ones`() throws {
    for day in 0...6 {
      var open = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day)
      #expect(try open.pruneFiles() == PrunedVersions(), "day \(day)")
    }
    #expect(try objects == 15)
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    let pruned = try open.pruneFiles()
    #expect(pruned.versions == 4 && pruned.objects == 4 && pruned.bytes > 4 * 100_000)
    let file = try scene.unlock("b").file()
    #expect(file.versions.count == 11 && file.dropped == 4 && file.live.count == 1)
    #expect(file.versions.allSatisfy { $0.object == .here })
    #expect(try scene.unlock("b").file("small").versions.count == 2)
    #expect(try objects == 11)
    #expect(try open.pruneFiles() == PrunedVersions())
  }

  /// A full disk, or a crash of the program that writes it, empties a file; one of the file system leaves
  /// zero bytes.
  @Test(arguments: [0, 70_000])
  func `Blank versions make no older one go`(_ size: Int) throws {
    for count in 0..<10 {
      try node.add(.of(String(repeating: "\0", count: size)))
      if count < 9 { try node.add(.of("\(count)")) }
    }
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    // Of 15 large ones those with more than twenty newer ones that hold something.
    #expect(try open.pruneFiles(keeping: 20).versions == 3)
  }

  /// Anyone who may write versions can write some whose contents never come.
  @Test
  func `Versions whose contents are not here make no older one go`() throws {
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    let folder = try scene.namespacePath + "/keybackup/objects"
    let newest = try scene.unlock("b").file().versions.prefix(10)
    for (place, version) in newest.enumerated() {
      let path = try scene.unlock("b").objectPath(of: version, in: folder)
      // One of another size is not whole either.
      if place > 0 {
        try FileManager.default.removeItem(atPath: path)
      } else {
        try FileHandle(forWritingAtPath: path)?.truncate(atOffset: 70_000)
      }
    }
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    #expect(try open.pruneFiles() == PrunedVersions())
    #expect(try scene.unlock("b").file().versions.count { $0.object == .here } == 5)
  }

  /// The size of a damaged object tells nothing.
  @Test
  func `Versions whose contents were overwritten make no older one go`() throws {
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    let folder = try scene.namespacePath + "/keybackup/objects"
    let reader = try scene.unlock("b")
    for version in try reader.file().versions.prefix(10) {
      let path = try reader.objectPath(of: version, in: folder)
      let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
      try Data(count: size).write(to: URL(fileURLWithPath: path))
    }
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    #expect(try open.pruneFiles() == PrunedVersions())
    #expect(try objects == 15)
    #expect(try open.pruneFiles(keeping: 4).versions == 0)
    // With fewer than the five that are whole it goes.
    #expect(try open.pruneFiles(keeping: 3).versions == 1)
  }

  /// A thief of a silent computer writes objects that have their name's bytes, and do not open.
  @Test
  func `Versions that do not open make no older one go`() throws {
    for number in 1...12 {
      let bytes = [UInt8](
        repeating: UInt8(number), count: Int(ObjectFormat.objectSize(of: 70_000)))
      let name = Digest(of: bytes.span)
      try Data(bytes).write(
        to: URL(
          fileURLWithPath: scene.namespacePath + "/keybackup/objects/"
            + FolderLayout.objectFile(name)))
      let file = try #require(try scene.open("node").localSilentWriters().first)
      let id = try #require(try file.files[.of("channel.backup")])
      let last = try #require(file.versions[id])
      try node.publish { builder in
        let object = SealedObject(
          name: name, key: .random(count: 32), size: 70_000, content: Digest(of: [1].span))
        try builder.filePut(
          id, name: .of("channel.backup"),
          version: NewFileVersion(object: object, modified: 1, mode: 0o600), replaces: [last])
      }
    }
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    // Ten of the fifteen good ones are newer than five.
    #expect(try open.pruneFiles().versions == 4)
    #expect(try open.pruneFiles(keeping: 10).versions == 0)
    let left = try scene.unlock("b")
    #expect(try left.file().versions.count { (try? left.text($0)) != nil } == 11)
  }

  @Test
  func `A version stays while the one that was chosen instead of it cannot be read`() throws {
    let folder = try scene.namespacePath + "/keybackup/objects"
    let reader = try scene.unlock("b")
    let oldest = try #require(
      try reader.file().versions.min { $0.operation.counter < $1.operation.counter })
    let original = try reader.objectPath(of: oldest, in: folder)
    var chooser = try scene.unlock("a")
    #expect(try chooser.choose(oldest))
    let chosen = try #require(try scene.unlock("b").file().live.first { $0.made == oldest.made })
    let copy = try scene.unlock("b").objectPath(of: chosen, in: folder)
    #expect(copy != original)
    let size = try Data(contentsOf: URL(fileURLWithPath: copy)).count
    try Data(count: size).write(to: URL(fileURLWithPath: copy))
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    _ = try open.pruneFiles(keeping: 1)
    #expect(FileManager.default.fileExists(atPath: original))
    // The contents are restored, and can be chosen once more.
    var text = ""
    let after = try scene.unlock("c")
    let live = try #require(try after.file().live.first { $0.made == oldest.made })
    #expect(throws: BackupFolderError.self) { try after.text(live) }
    try after.readAnyCopy(live) { () throws(BackupFolderError) in
      text = ""
    } into: { piece in
      unsafe piece.withUnsafeBytes { text += unsafe String(decoding: $0, as: UTF8.self) }
    }
    #expect(text.hasPrefix("1 1 "))
    // Choosing the current version writes its contents once more.
    var repairing = try scene.unlock("a")
    #expect(try repairing.choose(live))
    let repaired = try scene.unlock("c")
    let current = try repaired.file().live
    #expect(current.count == 1 && current[0].made == oldest.made)
    #expect(try repaired.text(current[0]).hasPrefix("1 1 "))
    #expect(try !repairing.choose(current[0]))
  }

  /// One computer chooses a version again, and another one gives it up before it knows.
  @Test
  func `A choice keeps its contents when another computer gives the version up`() throws {
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    let folder = try scene.namespacePath + "/keybackup/objects"
    let oldest = try #require(
      try scene.unlock("b").file().versions.min { $0.operation.counter < $1.operation.counter })
    let object = try scene.unlock("b").objectPath(of: oldest, in: folder)
    try scene.apart {
      var open = try scene.unlock("b")
      try open.choose(oldest)
    } and: {
      var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
      #expect(try open.pruneFiles().versions == 4)
      #expect(!FileManager.default.fileExists(atPath: object))
    }
    // A sync program takes the removal over.
    try? FileManager.default.removeItem(atPath: object)
    let reader = try scene.unlock("c")
    let live = try #require(try reader.file().live.first { $0.made == oldest.made })
    #expect(try live.object == .here && reader.text(live).hasPrefix("1 1 "))
  }

  @Test
  func `Objects that a crash left are removed by the next run`() throws {
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    let folder = try scene.namespacePath + "/keybackup/objects"
    try FileManager.default.copyItem(atPath: folder, toPath: scene.base + "/before")
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    #expect(try open.pruneFiles().versions == 4)
    // As if it had been killed after it said what goes.
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.copyItem(atPath: scene.base + "/before", toPath: folder)
    #expect(try objects == 15)
    var next = try scene.unlock("a", at: Self.start + 7 * Self.day)
    let pruned = try next.pruneFiles()
    #expect(pruned.versions == 0 && pruned.objects == 4 && pruned.bytes > 4 * 100_000)
    #expect(try objects == 11)
  }

  @Test
  func `Objects of the largest size there is are counted`() throws {
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    let folder = try scene.namespacePath + "/keybackup/objects"
    let reader = try scene.unlock("b")
    // Newer ones of another size would not count.
    for version in try reader.file().versions.suffix(4) {
      let path = try reader.objectPath(of: version, in: folder)
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.truncate(atOffset: UInt64(Int64.max))
      try file.close()
    }
    var open = try scene.unlock("a", at: Self.start + 7 * Self.day)
    let pruned = try open.pruneFiles()
    #expect(pruned.objects == 4 && pruned.bytes == .max, "\(pruned)")
  }

  @Test
  func `A file full of holes is no object, whatever its size`() throws {
    let folder = try scene.namespacePath + "/keybackup/objects"
    let version = try #require(try scene.unlock("b").file().versions.first)
    let path = try scene.unlock("b").objectPath(of: version, in: folder)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: 0)
    try file.truncate(atOffset: UInt64(Int64.max))
    try file.close()
    let found = try scene.open("b").namespace().checkStructure(readingSealed: true).wallets.findings
    #expect(found.map(\.state) == [.unreadable], "\(found)")
  }

  @Test
  func `Only versions of the named files go`() throws {
    for day in 0...8 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    var open = try scene.unlock("a", at: Self.start + 8 * Self.day)
    #expect(try open.pruneFiles(of: [.random()]) == PrunedVersions())
    #expect(try open.pruneFiles(of: [open.file().id]).versions == 4)
  }

  @Test
  func `A clock that jumps a year destroys nothing`() throws {
    _ = try scene.unlock("a", at: Self.start)
    for jump in [365, 1, 730, 2, 1095] {
      var open = try scene.unlock("a", at: Self.start + UInt64(jump) * Self.day)
      #expect(try open.pruneFiles() == PrunedVersions())
    }
    #expect(try objects == 15)
    // Another computer counts for itself.
    var other = try scene.unlock("b", at: Self.start + 2000 * Self.day)
    #expect(try other.pruneFiles() == PrunedVersions())
  }

  @Test
  func `A version that was live again in between is counted anew`() throws {
    let open = try scene.unlock("a", at: Self.start)
    let version = try #require(open.fileState.versions.candidates.first)
    var memory = FileMemory()
    for day in 0...6 { memory.count(at: Self.start + UInt64(day) * Self.day, [version]) }
    #expect(memory.replaced[version] == 6 * Self.day)
    memory.count(at: Self.start + 7 * Self.day, [])
    memory.count(at: Self.start + 8 * Self.day, [version])
    #expect(memory.replaced[version] == 0)
    memory.count(at: Self.start + 9 * Self.day, [version])
    #expect(memory.replaced[version] == Self.day)
  }

  @Test
  func `Contents that were chosen again stay when their first version is given up`() throws {
    for day in 0...6 { _ = try scene.unlock("a", at: Self.start + UInt64(day) * Self.day) }
    var open = try scene.unlock("a", at: Self.start + 6 * Self.day)
    let oldest = try #require(
      try open.file().versions.min { $0.operation.counter < $1.operation.counter })
    try open.choose(oldest)
    var later = try scene.unlock("a", at: Self.start + 7 * Self.day)
    let pruned = try later.pruneFiles()
    // The chosen version has an object of its own.
    #expect(pruned.versions == pruned.objects, "\(pruned)")
    let reader = try scene.unlock("b")
    #expect(try !reader.file().versions.contains { $0.operation == oldest.operation })
    let live = try #require(try reader.file().live.first)
    #expect(try live.object == .here && reader.text(live).hasPrefix("1 1 "))
  }

  @Test
  func `A damaged count is never written over, and nothing goes without it`() throws {
    _ = try scene.unlock("a", at: Self.start)
    let folder = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: scene.base + "/state-a")
        .first { $0.hasSuffix(".files") })
    let path = scene.base + "/state-a/" + folder
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    #expect(whole.hasPrefix("keybackup-files 1\n") && whole.contains("\nreplaced "))
    let damaged = Data(whole.utf8.dropLast(3))
    try damaged.write(to: URL(fileURLWithPath: path))
    var open = try scene.unlock("a", at: Self.start + 10 * Self.day)
    #expect(throws: BackupFolderError.memoryUnusable(path: path, isNewer: false)) {
      _ = try open.pruneFiles()
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
    #expect(try scene.open("a").unusableMemories().count == 1)
    #expect(try open.file().versions.count == 15)
  }
}

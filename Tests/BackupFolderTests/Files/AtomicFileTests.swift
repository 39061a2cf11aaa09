import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import SecretMemory

struct AtomicFileTests {
  private let scene: Scene
  private let directory: Directory

  init() throws {
    scene = try Scene()
    directory = try Directory.open(path: scene.folder)
  }

  private func stage(_ text: String) throws -> AtomicFile {
    let bytes = Array(text.utf8)
    return try unsafe AtomicFile(staging: bytes.span.bytes, in: directory, tag: "t")
  }

  private func content(_ name: String) -> String? {
    FileManager.default.contents(atPath: scene.folder + "/" + name)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private var names: [String] {
    get throws { try directory.names() }
  }

  @Test
  func `A new file never takes a name that is taken, and leaves no temporary file`() throws {
    #expect(try stage("one").place(new: "f"))
    #expect(try !stage("two").place(new: "f"))
    #expect(content("f") == "one")
    #expect(try names == ["f"])
    let attributes = try FileManager.default.attributesOfItem(atPath: scene.folder + "/f")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test
  func `A file that does not read back as meant is not published`() throws {
    var buffer = FileBuffer()
    let file = try stage("one")
    #expect { try file.settle(buffer: &buffer) { _ in false } } throws: {
      if case BackupFolderError.io = $0 { true } else { false }
    }
    _ = consume file
    #expect(try names == [])
  }

  @Test
  func `What is displaced is looked at as it is at that moment`() throws {
    var buffer = FileBuffer()
    #expect(try stage("one").place(new: "f"))
    let refused = try stage("two").place(replacing: "f", buffer: &buffer, limit: 100) { bytes in
      #expect(bytes.count == 3)
      return false
    }
    #expect(!refused)
    #expect(content("f") == "one")
    #expect(try stage("two").place(replacing: "f", buffer: &buffer, limit: 100) { _ in true })
    #expect(content("f") == "two")
    // The file has gone meanwhile, so nothing is displaced.
    #expect(try stage("new").place(replacing: "g", buffer: &buffer, limit: 100) { _ in false })
    #expect(try names == ["f", "g"])
  }

  @Test
  func `A file goes only with bytes that may be lost`() throws {
    var buffer = FileBuffer()
    #expect(try stage("one").place(new: "f"))
    #expect(try !directory.remove("f", tag: "t", buffer: &buffer, limit: 9) { _ in false })
    // Another version arrives between the first look and the last one.
    var looks = 0
    let gone = try directory.remove("f", tag: "t", buffer: &buffer, limit: 9) { _ in
      looks += 1
      return looks == 1
    }
    #expect(!gone)
    #expect(content("f") == "one")
    #expect(try directory.remove("f", tag: "t", buffer: &buffer, limit: 9) { _ in true })
    #expect(try directory.remove("f", tag: "t", buffer: &buffer, limit: 9) { _ in true })
    #expect(try names == [])
  }

  @Test
  func `Links are not followed, FIFOs not waited for, sizes checked first`() throws {
    var buffer = FileBuffer()
    #expect(try stage("0123456789").place(new: "f"))
    try FileManager.default.createSymbolicLink(
      atPath: scene.folder + "/link", withDestinationPath: scene.folder + "/f")
    try scene.run("mkfifo", scene.folder + "/fifo")
    #expect(throws: FileProblem.notRegular) { try buffer.read("link", in: directory, limit: 99) }
    #expect(throws: FileProblem.notRegular) { try buffer.read("fifo", in: directory, limit: 99) }
    #expect(throws: FileProblem.notRegular) { try buffer.read(".", in: directory, limit: 9999) }
    #expect(throws: FileProblem.absent) { try buffer.read("none", in: directory, limit: 99) }
    #expect(throws: FileProblem.tooLarge(limit: 9)) {
      try buffer.read("f", in: directory, limit: 9)
    }
    try buffer.read("f", in: directory, limit: 10)
    #expect(buffer.count == 10)
  }

  /// After the exchange the temporary name holds somebody else's bytes.
  @Test(arguments: ["EBUSY", "EACCES", "EPERM", "ETXTBSY", "EIO"])
  func `A displaced file that cannot go back is not removed`(_ error: String) throws {
    let place = try FailingPlace()
    defer { place.system.unmount() }
    let bytes = Array("one".utf8)
    let first = try unsafe AtomicFile(staging: bytes.span.bytes, in: place.directory, tag: "t")
    #expect(try first.place(new: "f"))
    try place.system.tell("rule op=rename flags=exchange nth=2 errno=\(error)")
    #expect(throws: BackupFolderError.self) { try place.replace("f", with: "two") }
    try place.system.tell("clear")
    #expect(try place.contents() == ["one", "two"])
  }

  @Test
  func `A displaced file goes back where the staged one is gone`() throws {
    let place = try FailingPlace()
    defer { place.system.unmount() }
    let bytes = Array("one".utf8)
    let first = try unsafe AtomicFile(staging: bytes.span.bytes, in: place.directory, tag: "t")
    #expect(try first.place(new: "f"))
    let isReplaced = try place.replace("f", with: "two") {
      try? place.directory.unlink("f")
    }
    #expect(!isReplaced)
    #expect(try place.contents() == ["one"])
    #expect(try place.directory.names() == ["f"])
  }
}

/// A folder on a file system that fails as it is told to.
private struct FailingPlace {
  let scene: Scene
  let system: FailingFileSystem
  let directory: Directory

  init() throws {
    scene = try Scene(inMemory: true)
    let backing = scene.base + "/backing"
    try FileManager.default.createDirectory(atPath: backing, withIntermediateDirectories: false)
    system = try FailingFileSystem(backing: backing, path: scene.folder)
    directory = try Directory.open(path: scene.folder)
  }

  /// Replaces a file whose bytes may not be lost.
  func replace(
    _ name: String, with text: String, meanwhile: () -> Void = {}
  ) throws -> Bool {
    var buffer = FileBuffer()
    let bytes = Array(text.utf8)
    let file = try unsafe AtomicFile(staging: bytes.span.bytes, in: directory, tag: "t")
    return try file.place(replacing: name, buffer: &buffer, limit: 100) { _ in
      meanwhile()
      return false
    }
  }

  /// What all files hold, whatever their names.
  func contents() throws -> [String] {
    try directory.names().compactMap {
      FileManager.default.contents(atPath: "\(scene.folder)/\($0)")
    }.map { String(decoding: $0, as: UTF8.self) }.sorted()
  }
}

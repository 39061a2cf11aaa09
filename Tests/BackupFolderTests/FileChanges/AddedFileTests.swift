import Foundation
import Synchronization
import Testing

@testable import BackupFolder
@testable import CSPP

@Suite("A computer with the key adds files")
struct AddedFileTests {
  private let scene: Scene

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
  }

  private func name(_ text: String) throws -> PathComponent {
    try #require(PathComponent(text))
  }

  /// With the key and without it.
  @Test(arguments: [false, true])
  func `It can be interrupted while contents are sealed, and leaves nothing`(
    _ isSilent: Bool
  ) throws {
    let node = try SilentComputer(scene)
    let sealed = Mutex(false)
    var settings = scene.settings(isSilent ? "node" : "a")
    settings.watch.isInterrupted = { sealed.withLock { $0 } }
    let folder = try BackupFolder.open(path: scene.folder, settings: settings)
    let namespace = try folder.namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    var open = try namespace.open(slot.unwrap(secret: scene.secret()))
    #expect(throws: BackupFolderError.interrupted) {
      let contents = FileContents.large("film ")
      let name = try name("film")
      let progress = { (_: UInt64) in sealed.withLock { $0 = true } }
      if isSilent {
        _ = try folder.addSilently(contents, name: name, as: node.writer, progress: progress)
      } else {
        _ = try open.addFile(contents, name: name, progress: progress)
      }
    }
    #expect(sealed.withLock { $0 }, "it was interrupted while it sealed")
    #expect(try scene.unlock("b").files().isEmpty)
    let objects = try scene.namespacePath + "/keybackup/objects"
    #expect(try FileManager.default.contentsOfDirectory(atPath: objects).isEmpty)
  }

  @Test
  func `A version whose object is gone is written again`() throws {
    var open = try scene.unlock("a")
    guard case .added(let file, _, _) = try open.addFile(.large("photo "), name: name("photo"))
    else {
      Issue.record("a new file is unchanged")
      return
    }
    guard case .unchanged = try open.addFile(.large("photo "), name: name("photo"), to: file) else {
      Issue.record("the same contents make a version")
      return
    }
    let objects = try scene.namespacePath + "/keybackup/objects"
    for object in try FileManager.default.contentsOfDirectory(atPath: objects) {
      try FileManager.default.removeItem(atPath: objects + "/" + object)
    }
    guard case .added = try open.addFile(.large("photo "), name: name("photo"), to: file) else {
      Issue.record("the version whose object is gone counts as unchanged")
      return
    }
    let version = try #require(try scene.unlock("b").file("photo").live.first)
    #expect(version.object == .here)
    #expect(try scene.unlock("b").text(version).hasPrefix("photo "))
  }

  @Test
  func `A version that another computer brings back stays the file of its own computer`() throws {
    var first = try scene.unlock("a")
    guard case .added(let file, _, _) = try first.addFile(.of("one"), name: name("notes")) else {
      Issue.record("a new file is unchanged")
      return
    }
    _ = try first.addFile(.of("two"), name: name("notes"), to: file)
    let label = try #require(try first.file("notes").live.first?.label)
    var other = try scene.unlock("b")
    let old = try #require(try other.file("notes").versions.first { $0.standing == .replaced })
    try other.choose(old)
    let live = try #require(try scene.unlock("a").file("notes").live.first)
    #expect(try scene.unlock("a").text(live) == "one")
    #expect(live.label == label)
  }

  @Test
  func `Contents that change at every reading are not taken`() throws {
    // The kernel makes a new one for each reading.
    let path = "/proc/sys/kernel/random/uuid"
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    var open = try scene.unlock("a")
    #expect(throws: BackupFolderError.file(.changedWhileReading)) {
      _ = try open.addFile(FileContents(descriptor: file), name: name("uuid"))
    }
    #expect(try scene.unlock("b").files().isEmpty)
  }
}

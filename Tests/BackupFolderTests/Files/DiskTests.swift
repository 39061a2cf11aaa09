import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// A disk that is full, or may not be written.
///
/// The file systems are real, and mounted for the test. Without the right to mount, these tests
/// fail.
@Suite(.serialized)
struct DiskTests {
  @Test
  func `A disk that is full at any step of init leaves nothing, and a later init works`() throws {
    // The space runs out at a folder or a file: at the first one in the first round, at none in the
    // last.
    var failures = 0
    var successes = 0
    for files in 1...14 {
      let scene = try Scene()
      try scene.mountTmpfs(size: 1 << 20, files: files)
      do {
        _ = try scene.create()
        successes += 1
      } catch BackupFolderError.diskFull {
        failures += 1
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scene.folder) == [])
        try scene.runAsRoot("mount", "-o", "remount,nr_inodes=100", scene.folder)
        _ = try scene.create()
      }
      try check(scene)
    }
    #expect(failures == 11)
    #expect(successes == 3)
  }

  @Test(arguments: 0...4)
  func `Room that runs out for the bytes is no different`(_ pages: Int) throws {
    let scene = try Scene()
    try scene.mountTmpfs(size: 8 * 4096)
    let ballast = scene.folder + "/ballast"
    try Data(repeating: 1, count: (8 - pages) * 4096).write(to: URL(fileURLWithPath: ballast))
    if pages < 3 {
      #expect {
        _ = try scene.create()
      } throws: {
        if case BackupFolderError.diskFull = $0 { true } else { false }
      }
      #expect(try FileManager.default.subpathsOfDirectory(atPath: scene.folder) == ["ballast"])
      try FileManager.default.removeItem(atPath: ballast)
    }
    _ = try scene.create()
    try check(scene)
  }

  private func check(_ scene: Scene) throws {
    var second = try scene.unlock("b")
    #expect(second.verify().counts.total == 0)
    #expect(second.health.operations == 1)
    #expect(second.health.incomplete == 0)
  }

  @Test
  func `A disk that is full while adding loses nothing and leaves nothing half-written`() throws {
    let scene = try Scene()
    try scene.mountTmpfs(size: 400 * 1024)
    var first = try scene.create()
    try first.add(.of("w1"))
    let before = try Scene.contents(scene.folder)
    #expect {
      try first.add(.of((0..<200).map { "many \($0)" }))
    } throws: {
      if case BackupFolderError.diskFull = $0 { true } else { false }
    }
    #expect(try Scene.contents(scene.folder) == before)
    var second = try scene.unlock("b")
    #expect(try second.restored().lines == ["w1 abandon about current"])
    #expect(second.health.incomplete == 0)
    // A batch that fits is still accepted.
    try first.add(.of("w2"))
    #expect(try second.restored().report.counts.total >= 1)
    var third = try scene.unlock("c")
    #expect(third.verify().counts[.current] == 2)
  }

  @Test
  func `Restore and verify work on a folder that cannot be written, and change nothing`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    try FileManager.default.removeItem(atPath: scene.viewPath("w2"))
    let before = try Scene.contents(scene.folder)
    let target = scene.base + "/readonly"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
    try scene.runAsRoot("mount", "--bind", scene.folder, target)
    defer { _ = try? scene.runAsRoot("umount", "--lazy", target) }
    try scene.runAsRoot("mount", "-o", "remount,ro,bind", target)
    let times = try scene.times()
    var second = try scene.unlock("b", target)
    #expect(
      try second.restored().lines == ["w1 abandon about current", "w2 abandon about missing"])
    #expect(second.verify().counts.total == 2)
    _ = try scene.open("b", target).namespace().checkStructure()
    #expect(try Scene.contents(scene.folder) == before)
    #expect(try scene.times() == times)
    #expect {
      try second.add(.of("w3"))
    } throws: {
      if case BackupFolderError.permissionDenied = $0 { true } else { false }
    }
  }

  @Test
  func `A file that a sync client holds is tried for three seconds; the log has the wallet`() throws
  {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    let path = try scene.viewPath("w1")
    // An immutable file refuses to be renamed, like a file that a client has locked.
    try scene.runAsRoot("chattr", "+i", path)
    defer { _ = try? scene.runAsRoot("chattr", "-i", path) }
    let start = ContinuousClock.now
    try first.add(.of("w1", words: "zoo zoo"))
    #expect(ContinuousClock.now - start >= .seconds(3))
    let name = FolderLayout.walletFile(RecordID(walletID: "w1"))
    guard case .busy(let held) = first.viewProblem else {
      Issue.record("\(String(describing: first.viewProblem))")
      return
    }
    #expect(held.hasSuffix(name))
    #expect(try first.restored().lines == ["w1 zoo zoo missing"])
    try scene.runAsRoot("chattr", "-i", path)
    try first.repair()
    #expect(try first.restored().lines == ["w1 zoo zoo current"])
    #expect(first.viewProblem == nil)
    let left = try Scene.contents(scene.folder).keys.filter { $0.contains(".keybackup-tmp-") }
    #expect(left == [])
  }

  @Test
  func `Restore works where nothing can be remembered`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    var settings = scene.settings("b")
    settings.stateFolder = "/proc/nothing/here"
    let namespace = try BackupFolder.open(path: scene.folder, settings: settings).namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    var open = try namespace.open(slot.unwrap(secret: scene.secret()))
    #expect(try open.restored().lines == ["w1 abandon about current"])
    #expect(!open.health.isFreshnessKnown)
  }

  /// Writing without the local state would lose its contents.
  @Test
  func `A memory that cannot be read stops writing and not restoring`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    let memories = scene.settings().stateFolder + "/memory"
    let folder = try #require(FileManager.default.contentsOfDirectory(atPath: memories).first)
    let localState = "\(memories)/\(folder)/\(first.id)"
    try FileManager.default.removeItem(atPath: localState)
    try FileManager.default.createDirectory(
      atPath: localState, withIntermediateDirectories: false)
    var second = try scene.unlock()
    #expect(try second.restored().lines == ["w1 abandon about current"])
    #expect(!second.health.isFreshnessKnown)
    let before = try Scene.contents(scene.folder)
    #expect(throws: BackupFolderError.self) { try second.add(.of("w2")) }
    #expect(try Scene.contents(scene.folder) == before)
  }
}

extension Scene {
  /// The time of the last change of every file and folder below the folder.
  func times() throws -> [String: Date] {
    var times: [String: Date] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      times[name] = attributes[.modificationDate] as? Date
    }
    return times
  }
}

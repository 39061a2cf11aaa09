import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP

/// The power fails after any call, and what was not synced is lost.
///
/// A command runs once on a file system that knows which changes are durable. After every call it
/// writes down the state that each kind of power loss would leave.
struct PowerLossTests {
  typealias Change = InterruptedScene.Change

  @Test(arguments: CrashPointTests.changes)
  func `What was acknowledged is there, what was not is there whole or not at all`(_ change: Change)
    throws
  {
    let interrupted = try InterruptedScene(change)
    let scene = interrupted.scene
    let (backing, mount) = (scene.base + "/backing", scene.base + "/mount")
    let snapshots = scene.base + "/snapshots"
    for folder in [mount, snapshots] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }
    try FileManager.default.copyItem(atPath: scene.base + "/kept", toPath: backing)
    let system = try FailingFileSystem(backing: backing, path: mount)
    defer { system.unmount() }
    try renameMemory(of: scene.folder, to: mount + "/cloud", in: backing)
    try system.tell("snapshots \(snapshots) all,data,zeros,entries,random")
    let run = try FinishedProgram(
      [BuiltProduct.path("folder-probe"), mount + "/cloud", mount + "/state-a"] + change.verb)
    #expect(run.output == "done\n", "\(run.output)")
    let kinds = ["all", "data", "zeros", "entries", "random"]
    for kind in kinds { try system.tell("remains \(snapshots)/done-\(kind) \(kind)") }
    let (changes, written) = (system.changes, system.snapshots)
    system.unmount()
    #expect(changes >= 5)
    #expect(written >= 15)

    for name in try FileManager.default.contentsOfDirectory(atPath: snapshots).sorted() {
      for part in ["cloud", "state-a", "state-b"] {
        try? FileManager.default.removeItem(atPath: "\(scene.base)/\(part)")
      }
      for part in ["cloud", "state-a"] {
        let left = "\(snapshots)/\(name)/\(part)"
        #expect(FileManager.default.fileExists(atPath: left))
        try FileManager.default.moveItem(atPath: left, toPath: "\(scene.base)/\(part)")
      }
      try renameMemory(of: mount + "/cloud", to: scene.folder, in: scene.base)
      try interrupted.check("power loss \(name)", done: name.hasPrefix("done"))
    }
    print("\(change.name): \(written) states after a power loss at \(changes) calls")
  }

  /// Renames the local state of a folder, whose name depends on the folder's path.
  private func renameMemory(of old: String, to new: String, in base: String) throws {
    let memories = base + "/state-a/memory"
    let (old, new) = (name(old), name(new))
    if FileManager.default.fileExists(atPath: "\(memories)/\(old)") {
      try FileManager.default.moveItem(atPath: "\(memories)/\(old)", toPath: "\(memories)/\(new)")
    }
  }

  private func name(_ path: String) -> String {
    String(Digest(of: Array(path.utf8).span).hex.prefix(32))
  }
}

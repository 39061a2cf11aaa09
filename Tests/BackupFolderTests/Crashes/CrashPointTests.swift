import Foundation
import TestSupport
import Testing

@testable import BackupFolder

/// Kills the process at every system call in turn, from the first that touches the folder or the
/// state folder.
struct CrashPointTests {
  typealias Change = InterruptedScene.Change

  private static let about = "abandon about"
  private static let many = (1...10).map { "w\($0)" }
  static let changes = [
    Change(name: "init", verb: ["init"], before: []),
    Change(
      name: "first add", verb: ["add", "w0"], before: [["init"]], new: ["w0": about]),
    Change(
      name: "add and replace", verb: ["add", "w0=zoo zoo", "w1"],
      before: [["init"], ["add", "w0"]], old: ["w0": about],
      new: ["w0": "zoo zoo", "w1": about]),
    Change(
      name: "batch", verb: ["add"] + many, before: [["init"], ["add", "w0"]],
      old: ["w0": about],
      new: Dictionary(uniqueKeysWithValues: (["w0"] + many).map { ($0, about) }), onDisk: true),
    Change(
      name: "remove", verb: ["remove", "w0"], before: [["init"], ["add", "w0", "w1"]],
      old: ["w0": about, "w1": about], new: ["w1": about]),
    Change(
      name: "heal", verb: ["heal"], before: [["init"], ["add", "w0", "w1"]],
      old: ["w0": about, "w1": about], new: ["w0": about, "w1": about], lost: "w0"),
    Change(
      name: "keep one of two versions", verb: ["keep"],
      before: [["init"], ["conflict", "w0=zoo zoo", "w0"]], old: ["w0": "abandon about | zoo zoo"],
      new: ["w0": "zoo zoo"]),
    Change(
      name: "retire a computer", verb: ["retire"],
      before: [["init"], ["other", "add", "w1"], ["add", "w0"]], old: ["w0": about, "w1": about],
      new: ["w0": about, "w1": about]),
    Change(
      name: "enrol a key", verb: ["key-add", Self.ones], before: [["init"], ["add", "w0"]],
      old: ["w0": about], new: ["w0": about], keySlots: 2),
    Change(
      name: "remove the key of the envelope", verb: ["key-remove", "first"],
      before: [["init"], ["add", "w0"], ["key-add", Self.ones]], old: ["w0": about],
      new: ["w0": about]),
    Change(
      name: "rotate a key", verb: ["rotate", "first", Self.twos],
      before: [["init"], ["add", "w0"]], old: ["w0": about], new: ["w0": about],
      after: ["finish", Self.twos]),
    Change(
      name: "finish a rotation", verb: ["finish", Self.twos],
      before: [["init"], ["add", "w0"], ["rotate", "first", Self.twos]], old: ["w0": about],
      new: ["w0": about]),
  ]

  private static let ones = String(repeating: "1", count: 32)
  private static let twos = String(repeating: "2", count: 32)

  /// Every system call counts, even those that change no file.
  ///
  /// Between two that change one, a crash finds the same files.
  private static let everyCall =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_EVERY_CALL"] != nil

  @Test(arguments: changes)
  func `Killed at every call in turn, the next run heals`(_ change: Change) throws {
    let scene = try InterruptedScene(change)
    let options = Self.everyCall ? ["--all"] : []
    let calls = try scene.calls(options)
    #expect(calls.count >= (Self.everyCall ? 200 : 10), "suspiciously few: \(calls)")
    var points = 0
    // A run may make one call more or less than another.
    while points < calls.count + 100 {
      let next = points + 1
      try scene.reset()
      let run = try scene.run(options + ["--at", "\(next)"])
      if run.code == 0 { break }
      let name = "killed at " + (next <= calls.count ? calls[points] : "\(next)")
      #expect(run.code == 137, "\(name): \(run.output)")
      points = next
      try scene.check(name, done: run.output.contains("done"))
    }
    print("\(change.name): killed at \(points) calls")
    #expect(points >= calls.count * 9 / 10, "\(points) of \(calls.count)")
  }

  @Test(arguments: changes)
  func `Killed in the middle of every write, the next run heals`(_ change: Change) throws {
    let scene = try InterruptedScene(change)
    let calls = try scene.calls(["--only", "write"])
    for place in 1...calls.count {
      try scene.reset()
      let run = try scene.run(["--only", "write", "--half", "--at", "\(place)"])
      #expect(run.code == 137, "\(run.output)")
      try scene.check("half of " + calls[place - 1], done: false)
    }
    print("\(change.name): killed in the middle of \(calls.count) writes")
  }

  @Test
  func `Killed at any call, and the folder then set back, a computer claims no counter twice`()
    throws
  {
    let scene = try InterruptedScene(
      Change(
        name: "add before the folder is set back", verb: ["add", "w1"],
        before: [["init"], ["add", "w0"]]))
    let calls = try scene.calls()
    var newer = 0
    for place in 1...calls.count {
      try scene.reset()
      _ = try scene.run(["--at", "\(place)"])
      try scene.setBack(while: ["add", "w2"])
      var open = try scene.scene.unlock("a")
      let words = try open.restored().words
      #expect(open.health.forked == 0 && words["w2"] == Self.about, "killed at \(calls[place - 1])")
      if words["w1"] != nil { newer += 1 }
    }
    // Of some runs the operation was there already.
    #expect(newer > 0 && newer < calls.count, "\(newer) of \(calls.count)")
  }
}

import Foundation
import TestSupport
import Testing

@testable import BackupFolder

/// Kills the process at every call that changes a file, in changes of files and silent writers.
struct FileCrashTests {
  typealias Change = InterruptedScene.Change

  static let changes = [
    Change(name: "become a silent writer", verb: ["silent"], before: [["init"]]),
    Change(
      name: "first silent version", verb: ["silent-add", "f=one"],
      before: [["init"], ["silent"]], newFiles: ["f": "one"]),
    Change(
      name: "silent version in an object", verb: ["silent-add", "f=large 2222"],
      before: [["init"], ["silent"], ["silent-add", "f=one"]], oldFiles: ["f": "one"],
      newFiles: ["f": "large 2222"]),
    Change(
      name: "silent wallets", verb: ["silent-wallets", "w=one", "v=two"],
      before: [["init"], ["silent"], ["silent-add", "f=one"]], new: ["w": "one", "v": "two"],
      oldFiles: ["f": "one"], newFiles: ["f": "one"]),
    Change(
      name: "version with the key", verb: ["file-add", "f=large 2222"],
      before: [["init"], ["silent"], ["silent-add", "f=one"]], oldFiles: ["f": "one"],
      newFiles: ["f": "large 2222"]),
    Change(
      name: "remove a file", verb: ["file-remove", "f"],
      before: [["init"], ["file-add", "f=one"]], oldFiles: ["f": "one"]),
    Change(
      name: "bring back a version", verb: ["choose", "f=one"],
      before: [["init"], ["silent"], ["silent-add", "f=one"], ["silent-add", "f=two"]],
      oldFiles: ["f": "two"], newFiles: ["f": "one"]),
    Change(
      name: "retire a silent writer", verb: ["writer-retire"],
      before: [["init"], ["silent"], ["silent-add", "f=one"]], oldFiles: ["f": "one"],
      newFiles: ["f": "one"]),
    Change(
      name: "give old versions up", verb: ["prune", "1"],
      before: [
        ["init"], ["silent"],
        ["silent-add", "f=large 1111", "f=large 2222", "f=large 3333", "f=large 4444"],
        ["days", "7"],
      ], oldFiles: ["f": "large 4444"], newFiles: ["f": "large 4444"], objects: 2),
  ]

  @Test(arguments: changes)
  func `Killed at every call in turn, the next run ends the change of a file`(
    _ change: Change
  ) throws {
    let scene = try InterruptedScene(change)
    let calls = try scene.calls()
    #expect(calls.count >= 5, "suspiciously few: \(calls)")
    var points = 0
    // A run may make one call more or less than another.
    while points < calls.count + 50 {
      let next = points + 1
      try scene.reset()
      let run = try scene.run(["--at", "\(next)"])
      if run.code == 0 { break }
      let name = "killed at " + (next <= calls.count ? calls[points] : "\(next)")
      #expect(run.code == 137, "\(name): \(run.output)")
      points = next
      try scene.check(name, done: run.output.contains("done"))
    }
    print("\(change.name): killed at \(points) calls")
    #expect(points >= calls.count * 9 / 10, "\(points) of \(calls.count)")
  }
}

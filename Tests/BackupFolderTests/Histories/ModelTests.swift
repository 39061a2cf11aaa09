import FolderModel
import Foundation
import TestSupport
import Testing

/// Random histories of computers that share a folder (Tests/FolderModel), with the real code.
///
/// `make model HISTORIES=10000` plays more of them.
@Suite struct ModelTests {
  @Test(arguments: History.Kind.allCases)
  func `Random histories lose nothing and tell the truth`(_ kind: History.Kind) {
    // Histories of the last kind are thirty times as long.
    let histories = kind == .partial ? 2 : 50
    let seed = TestSeed.value
    print("model: \(histories) histories of kind \(kind), seed \(seed)")
    for number in 0..<UInt64(histories) {
      let history = History(kind, seed: seed &+ number)
      if !isGood(history) {
        _ = isGood(history.shrunk(), note: "shrunk: ")
        return
      }
    }
  }

  /// The oracle took a version that was published again, after its folder was set back, for one that
  /// had replaced itself.
  @Test func `A version that is published again does not replace itself`() {
    _ = isGood(History(.thief, seed: 568_821_913))
  }

  /// A third computer remembered the operations of a rotation that was interrupted, and missed them
  /// after they had been removed where it began.
  @Test func `What an interrupted rotation left is not called rolled back`() {
    var history = History(.rotation, seed: 10_000_571)
    history.steps = [3, 6, 7, 11, 13, 14, 21, 22, 23, 25]
    // It happens in half of the runs: random IDs decide which of two rotations is in charge.
    for _ in 0..<12 where !isGood(history) { return }
  }

  /// A namespace without its `moved` took its own successor for a rival.
  ///
  /// It followed that one, so that none was in charge any more.
  @Test func `A namespace does not follow its own successor`() {
    var history = History(.rotation, seed: 11_009_153)
    history.steps = [2, 3, 4, 6, 14, 22]
    // Random IDs decide which namespace is opened first.
    for _ in 0..<12 where !isGood(history) { return }
  }

  /// A rotation that starts over removed the operations of the interrupted one in any order, and
  /// missed them after it was killed.
  @Test func `What a rotation removes when it starts over is not missed`() {
    var history = History(.rotation, seed: 22_000_468)
    history.steps = [8, 12, 16, 20, 21, 24, 27]
    // Random names decide what is removed first.
    for _ in 0..<12 where !isGood(history) { return }
  }

  /// A sync program put words before the name of a file that was never placed.
  @Test func `A conflict copy of a temporary file is no operation that is cut off`() {
    _ = isGood(History(.files, seed: 23_003_075))
  }

  private func isGood(_ history: History, note: String = "") -> Bool {
    let outcome = history.play()
    let story = outcome.trace.joined(separator: "\n")
    #expect(outcome.violations == [], "\(note)\(history)\n\(story)")
    return outcome.violations.isEmpty
  }
}

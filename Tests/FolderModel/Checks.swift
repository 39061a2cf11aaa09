import BackupFolder
import CSPP

/// What the program has to say of a folder as it is.
struct Expectation {
  /// Operations that this computer opened before and that are gone.
  let lost: Set<Digest>
  /// Those whose file is there, with something else or nothing in it.
  let damaged: Set<Digest>
  /// Whether something is gone that this computer may or may not remember.
  let isPerhapsRolledBack: Bool
  /// Operations that others name and that never were here.
  let awaited: Set<Digest>
  /// Whether some file has only partly arrived.
  let hasPartialFiles: Bool
  /// Whether one writer's counter has two operations.
  let isForked: Bool

  init(_ truth: Truth, _ computer: Computer) {
    let names = computer.replica.files.keys.filter { Place($0) == .log }
      .map { $0.suffix(37).prefix(32) }
    let lost = computer.seen.subtracting(truth.operations.keys)
    self.lost = lost
    damaged = lost.filter { digest in names.contains { $0 == digest.hex.prefix(32) } }
    isPerhapsRolledBack = !computer.perhapsSeen.isSubset(of: truth.operations.keys)
    awaited = truth.gaps.subtracting(computer.seen)
    hasPartialFiles = !computer.replica.partial.isEmpty
    let places = Set(truth.operations.values.map(\.place))
    isForked = places.count < truth.operations.count
  }
}

extension LoggedOperation {
  fileprivate var place: String { "\(reference.writerID).\(reference.counter)" }
}

extension World {
  /// Compares what a run says of the logs with what it should say.
  func check(
    _ health: LogHealth, _ findings: [FileFinding], _ expected: Expectation,
    at computer: Computer, withKey: Bool
  ) {
    if Crash.hasHappened { return }
    let who = "\(computer.name)\(withKey ? "" : " (without a key)")"
    if expected.lost.count > expected.damaged.count, health.rolledBack == 0 {
      violate("\(who): a rollback is not reported")
    }
    if !expected.damaged.isEmpty, health.rolledBack == 0, findings.isEmpty {
      violate("\(who): damaged operations are not reported")
    }
    if expected.lost.isEmpty, !expected.isPerhapsRolledBack, health.rolledBack > 0 {
      violate("\(who): false alarm, \(health.rolledBack) rolled back")
    }
    if expected.isForked, health.forked == 0, !computer.hasAccepted {
      violate("\(who): a fork is not reported")
    }
    if !expected.isForked, health.forked > 0, !isAttacked, !isCloned {
      violate("\(who): false alarm, \(health.forked) forked")
    }
    if withKey, !expected.awaited.isEmpty, health.incomplete + health.forked == 0,
      findings.isEmpty, !computer.hasAccepted
    {
      violate("\(who): a gap is not reported")
    }
    if expected.awaited.isEmpty, !expected.hasPartialFiles, !isAttacked, health.incomplete > 0,
      health.operations > 0
    {
      violate("\(who): \(health.incomplete) incomplete, but nothing is missing")
    }
  }

  /// Only the person's key slot was ever enrolled.
  func check(_ slots: [KeySlot], at computer: Computer) {
    let enrolled = slots.filter { $0.isEnrolled == true }.compactMap(\.keyID)
    if enrolled.count > 1 || !Set(enrolled).isSubset(of: [slot]) {
      violate("\(computer.name): \(enrolled.count) ways in count as enrolled")
    }
  }

  /// What is shown is what is live, and what other programs wrote.
  func check(_ shown: Shown, _ truth: Truth) {
    if Crash.hasHappened { return }
    let live = truth.live()
    let unlogged = Dictionary(grouping: truth.unlogged.values, by: \.record)
    for record in World.wallets.map({ RecordID(walletID: $0) }) {
      let logged = Set(live[record, default: [:]].values.map(\.words))
      let others = Set(unlogged[record, default: []].map(\.words))
      let words = Set(shown.versions[record, default: [:]].keys)
      // What an operation that is gone had staged is shown as rolled back.
      let staged = Set(truth.staged.filter { $0.record == record }.map(\.words))
      if !words.isSuperset(of: logged.union(others))
        || !words.isSubset(of: logged.union(others).union(staged))
      {
        violate("shown \(words.sorted()), live \(logged.sorted()), others' \(others.sorted())")
      }
      let states = shown.states[record, default: []]
      if live[record, default: [:]].count > 1, !states.contains(.conflict) {
        violate("a conflict is not said to be one: \(states)")
      }
      if live[record, default: [:]].count < 2, states.contains(.conflict) {
        violate("no conflict is said to be one")
      }
      if others.isEmpty, staged.isEmpty,
        !states.isDisjoint(with: [.foreign, .incomplete, .rolledBack])
      {
        violate("nothing is another's, but it says \(states)")
      }
    }
  }

  /// Whatever a run did: no wallet's bytes that were in the folder are gone
  /// from it.
  func checkNothingDestroyed(_ before: Truth, at computer: Computer) {
    let after = truth(of: computer)
    let present = Set(after.puts.keys).union(after.views.values.map(\.value))
    let lost = before.operations.keys.filter { after.operations[$0] == nil }
    if !lost.isEmpty { violate("\(computer.name): the run destroyed operations") }
    for (path, entry) in before.views where !present.contains(entry.value) {
      // What was staged and never counted.
      if path.contains("/.keybackup-tmp-"), !oracle.foreign.contains(entry.words) { continue }
      violate("\(computer.name): the run destroyed \(entry.words) in \(path)")
    }
  }
}

import BackupFolder
import CSPP

/// The findings that the program must report for a folder.
struct Expectation {
  /// The operations that this computer opened before and that are missing.
  let lost: Set<Digest>
  /// The lost operations whose file is here with other or no contents.
  let damaged: Set<Digest>
  /// Whether something is missing that this computer may or may not remember.
  let isPerhapsRolledBack: Bool
  /// The operations that others name and that were never here.
  let awaited: Set<Digest>
  /// Whether some file has arrived only partly.
  let hasPartialFiles: Bool
  /// Whether two operations have the same counter of one writer.
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
  /// Compares a run's findings about the logs with the expected ones.
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
    // Of what was here and is gone the beginning may be missing, too.
    if expected.awaited.isEmpty, expected.lost.isEmpty, !expected.hasPartialFiles, !isAttacked,
      health.incomplete > 0, health.operations > 0
    {
      violate("\(who): \(health.incomplete) incomplete, but nothing is missing")
    }
  }

  /// Checks that only the user's key slot counts as enrolled.
  func check(_ slots: [KeySlot], at computer: Computer) {
    let enrolled = slots.filter { $0.isEnrolled == true }.compactMap(\.keyID)
    if enrolled.count > 1 || !Set(enrolled).isSubset(of: [slot]) {
      violate("\(computer.name): \(enrolled.count) ways in count as enrolled")
    }
  }

  /// Checks that the shown versions are the live ones and those of other programs.
  func check(_ shown: Shown, _ truth: Truth) {
    if Crash.hasHappened { return }
    let live = truth.live()
    let unlogged = Dictionary(grouping: truth.unlogged.values, by: \.record)
    for record in World.wallets.map({ RecordID(walletID: $0) }) {
      let logged = Set(live[record, default: [:]].values.map(\.words))
      let others = Set(unlogged[record, default: []].map(\.words))
      let words = Set(shown.versions[record, default: [:]].keys)
      // Files staged for an operation that is missing are shown as rolled back.
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

  /// Checks that a run removed no wallet's bytes that were in the folder.
  func checkNothingDestroyed(_ before: Truth, at computer: Computer) {
    let after = truth(of: computer)
    let present = Set(after.puts.keys).union(after.views.values.map(\.value))
    let lost = before.operations.keys.filter { after.operations[$0] == nil }
    if !lost.isEmpty { violate("\(computer.name): the run destroyed operations") }
    for (path, entry) in before.views where !present.contains(entry.value) {
      // Staged files that never counted may be removed.
      if path.contains("/.keybackup-tmp-"), !oracle.foreign.contains(entry.words) { continue }
      violate("\(computer.name): the run destroyed \(entry.words) in \(path)")
    }
  }
}

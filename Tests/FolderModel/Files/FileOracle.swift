import BackupFolder
import CSPP

/// What was written, asked for and reported, and what has to follow from it.
struct FileOracle {
  /// A version that a program reported as durable.
  struct Written {
    let made: Digest
    let file: FileID
    let key: SigningKey?
    let isHonest: Bool
  }

  /// An act that may have replaced or removed versions.
  struct FileAct {
    var file: FileID?
    /// The versions that it may have replaced.
    var mayReplace: Set<Digest>
    /// The versions that it has replaced if it was acknowledged.
    var replaces: Set<Digest> = []
    /// The versions that were held back, and against which it decided.
    var refuses: Set<Digest> = []
    var isAcknowledged = false
    /// The namespace to which it was written.
    let namespace: NamespaceID?
    /// The key of a silent writer.
    let key: SigningKey?
    let isRemoval: Bool
    /// The version that it made.
    var version: Digest?
    /// The version that a person chose.
    var chosen: Digest?
    /// The versions that were listed when a person chose.
    var listed: Set<Digest> = []
    /// The operations that its run wrote, by the digits in their names.
    var operations: Set<Substring> = []
  }

  /// A retirement of a silent writer's key.
  struct Retirement {
    let key: SigningKey
    /// The versions that were listed where it was written.
    let known: Set<Digest>
    /// The operations whose files were there.
    let present: Set<Substring>
    let act: Int
  }

  /// A rotation of the master key, by the namespace from which it went.
  struct Rotation {
    let from: NamespaceID
    let rotator: String
    /// The operations that were there when it was written.
    var known: Set<Substring>
    /// Whether a person wanted it in spite of what was missing.
    var isDespite = false
    var isDone = false
  }

  /// An act about a wallet.
  struct WalletAct {
    let record: RecordID
    let words: String
    /// The words that it may have superseded.
    let known: Set<String>
    let key: SigningKey?
    let isHonest: Bool
    var isAcknowledged = false
  }

  var written: [Digest: Written] = [:]
  var acts: [FileAct] = []
  var retirements: [Retirement] = []
  var rotations: [Rotation] = []
  var wallets: [WalletAct] = []
  /// Every file, in the order of their first versions.
  var files: [FileID] = []
  /// The text of every contents that anybody tried to write.
  var texts: [Digest: String] = [:]
  /// Contents and words of those whom nobody authorised.
  var forbidden: Set<Digest> = []
  var forbiddenWords: Set<String> = []
  /// The versions that retention may have given up.
  var mayDrop: Set<Digest> = []

  mutating func include(_ version: Written) {
    written[version.made] = version
    if !files.contains(version.file) { files.append(version.file) }
  }

  // MARK: What has to be

  /// The honest versions that have to be kept, whether they count or not.
  func mustBeKept() -> Set<Digest> {
    Set(written.values.filter { $0.isHonest && !mayDrop.contains($0.made) }.map(\.made))
  }

  /// The honest versions that have to count.
  func mustCount() -> Set<Digest> {
    let replaced = acts.reduce(into: Set<Digest>()) { $0.formUnion($1.mayReplace) }
    let never = written.values.filter { version in
      version.isHonest && !replaced.contains(version.made) && isKnownToAll(version)
    }
    return Set(never.map(\.made)).union(stillChosen())
  }

  /// Whether every retirement of a version's key has known it.
  private func isKnownToAll(_ version: Written) -> Bool {
    retirements.allSatisfy { $0.key != version.key || $0.known.contains(version.made) }
  }

  /// The versions that a person chose, and that nobody has put aside since.
  ///
  /// Beside a rival rotation a copy of the choice may be replaced by what the choice put aside.
  private func stillChosen() -> Set<Digest> {
    if hasRivals { return [] }
    var found: Set<Digest> = []
    for (number, act) in acts.enumerated() where isCarried(act) {
      guard act.isAcknowledged, let chosen = act.chosen else { continue }
      let isPutAside = acts.enumerated().contains { other, putting in
        guard other != number, putting.mayReplace.contains(chosen) else { return false }
        if other > number { return true }
        // What its own computer wrote after it, and the person had not seen.
        return putting.key != nil && putting.version.map { !act.listed.contains($0) } ?? true
      }
      if !isPutAside { found.insert(chosen) }
    }
    return found
  }

  /// The choices that a computer wrote to a namespace that had been carried over already, unless
  /// somebody put them aside since.
  ///
  /// Who has an old key only adds. So the choice counts as a version of its own, or as the one that
  /// was chosen if the rotation did not come to its end.
  func lateChoices() -> [FileAct] {
    if hasRivals { return [] }
    let replaced = acts.reduce(into: Set<Digest>()) { $0.formUnion($1.mayReplace) }
    let stems = Set(replaced.map(\.stem))
    return acts.filter { act in
      guard act.isAcknowledged, let chosen = act.chosen, !isCarried(act) else { return false }
      return !replaced.contains(chosen) && stems.isDisjoint(with: act.operations)
    }
  }

  /// Whether the rotations from an act's namespace knew it.
  private func isCarried(_ act: FileAct) -> Bool {
    rotations.allSatisfy { $0.from != act.namespace || act.operations.isSubset(of: $0.known) }
  }

  /// Whether two rotations went from one namespace.
  private var hasRivals: Bool { Set(rotations.map(\.from)).count < rotations.count }

  /// The versions that must not count any more, when these namespaces lead to the one in charge.
  func mustBeGone(_ followed: Set<NamespaceID>) -> Set<Digest> {
    if hasRivals { return [] }
    let chosen = Set(acts.compactMap(\.chosen))
    var gone: Set<Digest> = []
    for act in acts where act.isAcknowledged && isEffective(act, followed) {
      gone.formUnion(act.replaces)
    }
    return gone.subtracting(chosen)
  }

  private func isEffective(_ act: FileAct, _ followed: Set<NamespaceID>) -> Bool {
    guard let namespace = act.namespace, followed.contains(namespace) else { return false }
    let isCarried = isCarried(act)
    guard let key = act.key else { return isCarried }
    let isHeldBack = retirements.contains { $0.key == key }
    if isHeldBack { return false }
    // What was missing then may have stood between two versions that were both carried.
    let isOverlooked = rotations.contains {
      $0.isDespite && !act.operations.isSubset(of: $0.known)
    }
    if isOverlooked { return false }
    // A silent removal that comes late has no effect, and uncovers what was before.
    let isRemoved = acts.contains { $0.key == key && $0.isRemoval && $0.file == act.file }
    return isCarried || !isRemoved
  }

  /// The versions that a retirement has to hold back.
  func mustBeHeldBack(_ followed: Set<NamespaceID>) -> Set<Digest> {
    if hasRivals { return [] }
    let chosen = Set(acts.compactMap(\.chosen))
    var held: Set<Digest> = []
    for retirement in retirements {
      let act = acts[retirement.act]
      guard act.isAcknowledged, isEffective(act, followed) else { continue }
      for version in written.values
      where version.key == retirement.key && !retirement.present.contains(version.made.stem)
        && !retirement.known.contains(version.made)
      {
        held.insert(version.made)
      }
    }
    return held.subtracting(chosen)
  }

  /// The versions that must not wait for a decision any more.
  func mustBeDecided(_ followed: Set<NamespaceID>) -> Set<Digest> {
    if hasRivals { return [] }
    return acts.reduce(into: []) { found, act in
      if act.isAcknowledged, isEffective(act, followed) { found.formUnion(act.refuses) }
    }
  }

  /// The words that have to be shown.
  func wordsToShow() -> Set<String> {
    var gone: Set<String> = []
    for act in wallets { gone.formUnion(act.known.subtracting([act.words])) }
    let retired = Set(retirements.map(\.key))
    return Set(
      wallets.filter { act in
        act.isHonest && act.isAcknowledged && !act.words.isEmpty
          && act.key.map { !retired.contains($0) } ?? true
      }.map(\.words)
    ).subtracting(gone)
  }
}

/// The rules of files and silent writers that a history can be played without.
public enum Rule: Int, CaseIterable, Sendable {
  // Reading 1: what counts.

  /// The authorised key has signed it.
  case signature
  /// A `writer-add` here names this writer ID and this key.
  case authorised
  /// Only the kinds of changes count that the `writer-add` allows.
  case may
  /// While the operation named in `after` is not here it is incomplete, and no alarm.
  case after
  /// Any other spelling of the same bytes is no operation, for readers and for its writer.
  case spelling

  // Reading 2: a silent writer's own steps.

  /// The object is written before the operation.
  case objectFirst
  /// The operation's bytes are remembered before it is published.
  case operationRemembered
  /// Remembered bytes that are not here are published again.
  case publishedAgain
  /// An object is kept if an operation was remembered for it.
  case objectKept
  /// No silent writer removes an object at all.
  case objectLeft
  /// A new authorisation first ends what a crash left.
  case finishedFirst
  /// Own is what its key signed, not what has its name.
  case ownBySignature
  /// The next operation follows also a remembered one that is not here.
  case followsHighest
  /// A difference from what it remembers does not stop it.
  case neverStops
  /// An own operation with the highest counter is not followed.
  case counterLimit

  // Reading 3 and 4: files.

  /// A silent writer covers nothing of others.
  case coversNothing
  /// A sealed version replaces what it names, not all of its chain.
  case filesNotByCoverage
  /// It replaces only versions of its key.
  case sameKey
  /// It names only the version that its computer remembers.
  case replacesOwnLast
  /// A copied version keeps `made` and `by`.
  case madeStays
  /// In a sealed operation `made` and `by` have no effect.
  case madeNotSealed
  /// At most one version of a file in an operation.
  case onePut
  /// It remembers its last version across namespaces.
  case acrossNamespaces
  /// A person's operation names a carried or adopted version by its `made`.
  case findings
  /// It names a version that a person chose by that operation only.
  case decisionsByName
  /// What a choice put aside does not replace the choice.
  case cycles
  /// A conflict is settled by a `file-put` of the chosen version.
  case settledByPut

  // Reading 5: wallets.

  /// Sealed entries of a wallet count together.
  case walletsOnlyAdd
  /// Beside an ordinary entry they are shown as proposals.
  case proposals
  /// `seen_sealed` names where a piece of a chain begins, and covers nothing before.
  case pieces

  // Reading 6: retirement.

  /// A retirement holds for every writer ID of its key.
  case retireByKey
  /// It holds in the namespaces that are followed.
  case retireFollowed
  /// It holds there too if it names no chain of the key there.
  case retireUnnamed
  /// Every retirement of the key has to cover it.
  case everyRetirement
  /// What is held back is shown.
  case heldBackShown
  /// A chain is covered by its hashes, not by its counters.
  case coveredByHash
  /// A silent writer's removal of others' versions has no effect.
  case wishes
  /// A retired key never returns.
  case neverReturns
  /// Who retires waits for what is missing.
  case gapRetire
  /// Who settles or removes waits for what is missing.
  case gapSettle
  /// Retention waits for what is missing.
  case gapPrune
  /// A rotation waits for what is missing.
  case gapRotate
  /// Adoption waits for what is missing.
  case gapAdopt
  /// An adopted version is held back by a retirement that its adopter did not know.
  case findingsHeldBack

  // Reading 7 and retention.

  /// What is replaced stays.
  case restorable
  /// A version goes only if enough newer ones replace it.
  case newerCount
  /// It was replaced long enough.
  case replacedLongEnough
  /// A run adds at most one day.
  case dayAtMost
  /// Being live again begins the count again.
  case resetByLive
  /// Small versions stay.
  case smallKept
  /// A `file-drop` of a live version has no effect.
  case liveNotDropped
  /// An object goes with the last version that names it.
  case lastName
  /// No silent writer does retention.
  case notTheSilent

  // Rotation.

  /// The new namespace records the ends of the chains that were carried.
  case carriedEnds
  /// Beyond these, operations replace, remove, settle, drop and cover nothing.
  case onlyAdds
  /// Nor do they retire.
  case retiresNothing
  /// Nor do their `made` and `by` count.
  case madeIgnored
  /// As long as the ends are not here, all operations are beyond them.
  case untoldCarriesNothing
  /// The new namespace retires again what was retired in the old one.
  case retirementsCarried
  /// A carried version lists the own ones that it replaced.
  case carriedLists
  /// An adopted version lists them.
  case adoptedLists
  /// A late version replaces them before it is adopted.
  case lateReplaces
  /// Late versions are adopted before a person replaces them.
  case adoptedFirst
  /// Objects are copied with their versions.
  case objectsCopied
  /// An interrupted rotation begins again.
  case begunAgain
  /// A silent writer goes on, whatever namespace lies beside its own.
  case staysAfterRotation

  /// The name on the command line: small letters and hyphens.
  public var name: String {
    "\(self)".reduce(into: "") { text, letter in
      if letter.isUppercase { text += "-" }
      text += letter.lowercased()
    }
  }

  /// The rule of a name.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// The rules that hold in a history.
public struct Rules: Sendable, Equatable {
  private var leftOut: UInt128 = 0

  /// All rules, but those left out.
  public init(without: [Rule] = []) {
    for rule in without { leftOut |= 1 << UInt128(rule.rawValue) }
  }

  /// Whether a rule holds.
  func hold(_ rule: Rule) -> Bool { leftOut & (1 << UInt128(rule.rawValue)) == 0 }

  func lack(_ rule: Rule) -> Bool { !hold(rule) }
}

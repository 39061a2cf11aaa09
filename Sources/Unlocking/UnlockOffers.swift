package import BackupFolder
package import CSPP
internal import PRFDevice
package import SecurityKeys

/// The questions to security keys for several key slots, the likeliest first.
///
/// A file is a claim until it has opened. Files that this computer confirmed with the master key
/// come first.
package struct UnlockOffers: Sendable {
  package private(set) var all: [(slot: KeySlot, question: UnlockQuestion)] = []
  /// The relying parties of slots that are not asked.
  package private(set) var withheld: Set<String> = []

  /// The likelihood that a key slot should be used, the highest first.
  private enum Standing: Int {
    case proved
    case enrolled
    /// The slot is enrolled, and so is its replacement.
    case superseded
    case claimed
    /// Another claimed slot replaces it.
    case replaced
    case removed

    init(_ slot: KeySlot) {
      self =
        if slot.isRemoved { .removed } else if slot.isEnrolled != true { .claimed } else {
          slot.provedAt == nil ? .enrolled : .proved
        }
    }

    var isKnown: Bool { rawValue <= Standing.superseded.rawValue }
    var isReplaced: Bool { self == .superseded || self == .replaced }
  }

  /// Orders key slots.
  ///
  /// - Parameters:
  ///   - slots: the slots of the folder.
  ///   - rule: the relying parties for which keys may be asked.
  ///   - meant: the namespace that the user named or this computer knows; its key slots come first.
  package init(_ slots: [KeySlot], _ rule: RelyingPartyRule, meant: NamespaceID? = nil) {
    var standings = slots.map { Standing($0) }
    let heirs = Self.heirs(slots, standings)
    for (old, heirs) in heirs {
      if heirs.contains(where: { standings[$0].isKnown }) {
        standings[old] = standings[old].isKnown ? .superseded : .replaced
      } else if standings[old] == .claimed {
        standings[old] = .replaced
      }
    }
    func rank(_ index: Int) -> Int {
      standings[index].rawValue
        + (slots[index].namespaceID == meant ? 0 : Standing.removed.rawValue + 1)
    }
    var isDone = [Bool](repeating: false, count: slots.count)
    for index in slots.indices.sorted(by: { (rank($0), $0) < (rank($1), $1) }) where !isDone[index]
    {
      // That one slot replaces another is a claim too. It precedes a likelier slot only if both
      // have the same credential, whose two salts take one touch. Of many such slots only the
      // newest counts.
      let heir =
        standings[index].isReplaced ? nil : heirs[index]?.last { slots[$0].isLike(slots[index]) }
      // A claim does not precede a known slot.
      let isClaim = standings[index].isKnown && heir.map { !standings[$0].isKnown } ?? false
      let both = isClaim ? [index, heir] : [heir, index]
      for next in both.compactMap({ $0 }) where !isDone[next] {
        isDone[next] = true
        add(slots[next], standings[next], rank: rank(index), rule)
      }
    }
  }

  /// Each question once, from its likeliest key slot.
  package var questions: [UnlockQuestion] {
    var seen: Set<UnlockQuestion> = []
    return all.map(\.question).filter { seen.insert($0).inserted }
  }

  private mutating func add(
    _ slot: KeySlot, _ standing: Standing, rank: Int, _ rule: RelyingPartyRule
  ) {
    let isUnnamed = slot.kind == .csppEnvelope
    for rpID in isUnnamed ? rule.unnamed(in: slot.namespaceID) : [slot.rpID ?? ""] {
      guard var question = UnlockQuestion(slot, rpID: rpID) else { continue }
      guard isUnnamed || rule.allows(rpID, in: slot.namespaceID) else {
        if standing != .removed { withheld.insert(rpID) }
        continue
      }
      question.rank = rank
      question.isReplaced = standing.isReplaced
      question.isKnown = standing.isKnown
      all.append((slot, question))
    }
  }

  /// The replacements of each key slot, as they state themselves, the newest last.
  private static func heirs(_ slots: [KeySlot], _ standings: [Standing]) -> [Int: [Int]] {
    var heirs: [Int: [Int]] = [:]
    for (place, slot) in slots.enumerated() where standings[place] != .removed {
      guard let replaced = slot.replaces else { continue }
      for old in slots.indices
      where slots[old].keyID == replaced && slots[old].namespaceID == slot.namespaceID
        && old != place && standings[old] != .removed
      {
        heirs[old, default: []].append(place)
      }
    }
    return heirs.mapValues { $0.sorted { (slots[$0].createdAt ?? 0) < (slots[$1].createdAt ?? 0) } }
  }
}

extension KeySlot {
  /// Whether both slots have the same credential.
  fileprivate func isLike(_ other: KeySlot) -> Bool {
    credentialID == other.credentialID && rpID == other.rpID
  }
}

internal import CSPP

extension [KeySlot] {
  /// The key slots, grouped by what is lost together.
  ///
  /// Files of one credential form a group, as do a slot and the slot that it replaces. The groups
  /// are in the order of their oldest slot. Removed key slots are omitted.
  public var independent: [[KeySlot]] {
    var groups: [[KeySlot]] = []
    for slot in self where !slot.isRemoved {
      let related = groups.indices.filter { place in
        groups[place].contains { $0.isLost(with: slot) }
      }
      guard let first = related.first else {
        groups.append([slot])
        continue
      }
      groups[first].append(slot)
      for place in related.dropFirst().reversed() {
        groups[first] += groups.remove(at: place)
      }
    }
    return groups
  }
}

extension KeySlot {
  /// Whether the user can rely on this key slot, as far as this computer can tell.
  ///
  /// The slot must be enrolled; if it is a recovery code, the code must have opened the backup
  /// here. A security key gave its secret twice when it was enrolled. A code is only known to be
  /// readable where it was written down once it was typed from there. A slot that needs guards never
  /// counts: they may be gone one day, and enough of them with the folder open it.
  public var counts: Bool { isEnrolled == true && !isRemoved && !isUntestedCode && !isGuarded }

  /// Whether it is a recovery code that never opened the backup here.
  public var isUntestedCode: Bool {
    if case .recoveryCode = kind { provedAt == nil } else { false }
  }
}

extension KeySlot {
  /// Whether losing one of the two means losing the other.
  fileprivate func isLost(with other: KeySlot) -> Bool {
    if let keyID, keyID == other.keyID || keyID == other.replaces { return true }
    if let replaces, replaces == other.keyID || replaces == other.replaces { return true }
    return credentialID != nil && credentialID == other.credentialID && rpID == other.rpID
  }
}

internal import CSPP

extension [KeySlot] {
  /// The key slots by what one loses at once: files of one credential, and a slot
  /// with the one whose place it takes, are one.
  ///
  /// In the order of their oldest. Key slots that were removed are left out.
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
  /// Whether it is a key slot to rely on, as far as this computer can tell: it is
  /// enrolled, and if it is a recovery code, the code opened the backup here.
  ///
  /// A security key gave its secret twice when it was enrolled. Of a code nobody knows
  /// that it can be read where it was written down, before it was typed from there.
  public var counts: Bool { isEnrolled == true && !isRemoved && !isUntestedCode }

  /// Whether it is a recovery code that never opened the backup here.
  public var isUntestedCode: Bool {
    if case .recoveryCode = kind { provedAt == nil } else { false }
  }
}

extension KeySlot {
  /// Whether whoever loses one of the two loses the other.
  fileprivate func isLost(with other: KeySlot) -> Bool {
    if let keyID, keyID == other.keyID || keyID == other.replaces { return true }
    if let replaces, replaces == other.keyID || replaces == other.replaces { return true }
    return credentialID != nil && credentialID == other.credentialID && rpID == other.rpID
  }
}

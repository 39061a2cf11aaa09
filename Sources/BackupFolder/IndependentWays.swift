internal import CSPP

extension [WayIn] {
  /// The ways in by what one loses at once: files of one credential, and a way
  /// in with the one whose place it takes, are one.
  ///
  /// In the order of their oldest. Ways in that were removed are left out.
  public var independent: [[WayIn]] {
    var groups: [[WayIn]] = []
    for way in self where !way.isRemoved {
      let related = groups.indices.filter { place in
        groups[place].contains { $0.isLost(with: way) }
      }
      guard let first = related.first else {
        groups.append([way])
        continue
      }
      groups[first].append(way)
      for place in related.dropFirst().reversed() {
        groups[first] += groups.remove(at: place)
      }
    }
    return groups
  }
}

extension WayIn {
  /// Whether it is a way in to rely on, as far as this computer can tell: it is
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

extension WayIn {
  /// Whether whoever loses one of the two loses the other.
  fileprivate func isLost(with other: WayIn) -> Bool {
    if let keyID, keyID == other.keyID || keyID == other.replaces { return true }
    if let replaces, replaces == other.keyID || replaces == other.replaces { return true }
    return credentialID != nil && credentialID == other.credentialID && rpID == other.rpID
  }
}

internal import BackupFolder
internal import CSPP

extension [KeySlot] {
  /// The credential that is of no more use on a security key once some of these key slots are gone.
  ///
  /// Someone who writes to the folder can copy an enrolled key's file under another ID. So only key
  /// slots in the log count, and a credential that another file names is kept.
  ///
  /// - Parameter ids: the key slots that go.
  /// - Returns: nil if there is none, or if another way in may need it.
  func credentialFreed(byRemoving ids: Set<KeyID>) -> [UInt8]? {
    let isLeft = { (slot: KeySlot) in slot.keyID.map { !ids.contains($0) } ?? true }
    let needed = Set(filter(isLeft).compactMap(\.namedCredential))
    return lazy.filter { !isLeft($0) && $0.isEnrolled == true && $0.discoverable == true }
      .compactMap(\.credentialID).first { !needed.contains($0) }
  }
}

extension KeySlot {
  /// The credential that it needs, also as the second secret beside a recovery code.
  fileprivate var namedCredential: [UInt8]? {
    if case .recoveryCode(let derivation) = kind,
      case .securityKey(_, let credential, _)? = derivation.secondSecret
    {
      return credential
    }
    return credentialID
  }
}

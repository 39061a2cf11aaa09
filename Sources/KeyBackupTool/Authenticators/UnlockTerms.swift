internal import BackupFolder
internal import CSPP

/// The key slots that a command accepts.
struct UnlockTerms: Sendable {
  /// The only accepted key slots; nil for any.
  var only: Set<KeyID>?
  /// The key slots that are not accepted.
  var except: Set<KeyID> = []
  /// The key slots whose security keys are not accepted in any other namespace either.
  ///
  /// An earlier namespace has other key slots of the same security keys.
  var exceptKeysOf: [KeySlot] = []
  /// Whether a cached master key is not accepted, because a key slot must be proved.
  var needsKeySlot = false
  /// Whether only a security key is accepted.
  var needsSecurityKey = false
  /// A PRF input that the security key also evaluates in the same touch.
  var extraSalt: [UInt8]?
  /// The purpose for which the security key is requested.
  var purpose = Event.KeyPurpose.opening
  /// Whether the user must choose one of several suitable security keys that are plugged in.
  var mustBeOneKey = false

  /// The number of PINs that the command needs from the same source after the one that opens the
  /// backup.
  var furtherPINs = 0

  /// The scan with only the accepted key slots.
  func allowed(_ scan: NamespaceScan) -> NamespaceScan {
    guard only != nil || !except.isEmpty else { return scan }
    return scan.with(
      scan.keySlots.filter { slot in
        if exceptKeysOf.contains(where: { $0.isSameKey(as: slot, elsewhere: true) }) {
          return false
        }
        guard let key = slot.keyID else { return only == nil }
        return only?.contains(key) != false && !except.contains(key)
      })
  }
}

extension KeySlot {
  /// Whether both slots have the same credential.
  ///
  /// - Parameters:
  ///   - other: another slot.
  ///   - elsewhere: whether only a slot of another namespace counts.
  /// - Returns: false for slots without a credential.
  func isSameKey(as other: KeySlot, elsewhere: Bool = false) -> Bool {
    credentialID != nil && credentialID == other.credentialID && rpID == other.rpID
      && !(elsewhere && namespaceID == other.namespaceID)
  }
}

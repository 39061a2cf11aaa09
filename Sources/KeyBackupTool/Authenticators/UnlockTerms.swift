internal import BackupFolder
internal import CSPP

/// The key slots that a command accepts.
struct UnlockTerms: Sendable {
  /// The only accepted key slots; nil for any.
  var only: Set<KeyID>?
  /// The key slots that are not accepted.
  var except: Set<KeyID> = []
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
        guard let key = slot.keyID else { return only == nil }
        return only?.contains(key) != false && !except.contains(key)
      })
  }
}

internal import BackupFolder
internal import CSPP

/// Which key slots a command takes.
struct UnlockTerms: Sendable {
  /// Only these key slots; nil: any.
  var only: Set<KeyID>?
  /// None of these.
  var except: Set<KeyID> = []
  /// Whether a master key that this computer knows will not do: that a key slot
  /// works is to be proved.
  var needsKeySlot = false
  /// Whether only a security key will do.
  var needsSecurityKey = false
  /// A PRF input that the security key evaluates too, in the same touch.
  var extraSalt: [UInt8]?
  /// What the security key is asked for, in words.
  var purpose = Event.KeyPurpose.opening
  /// Whether of several security keys that are plugged in and would do, the
  /// person has to choose one.
  var mustBeOneKey = false

  /// How many PINs the command needs after the one that opens the backup, from
  /// the same source.
  var furtherPINs = 0

  /// The key slots that will do.
  func allowed(_ scan: NamespaceScan) -> NamespaceScan {
    guard only != nil || !except.isEmpty else { return scan }
    return scan.with(
      scan.keySlots.filter { slot in
        guard let key = slot.keyID else { return only == nil }
        return only?.contains(key) != false && !except.contains(key)
      })
  }
}

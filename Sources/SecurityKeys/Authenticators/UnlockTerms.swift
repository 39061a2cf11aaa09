package import BackupFolder
package import CSPP
package import CommandKit

/// The key slots that a command accepts.
package struct UnlockTerms: Sendable {
  /// The only accepted key slots; nil for any.
  package var only: Set<KeyID>?
  /// The key slots that are not accepted.
  package var except: Set<KeyID> = []
  /// The key slots whose security keys are not accepted in any other namespace either.
  ///
  /// An earlier namespace has other key slots of the same security keys.
  package var exceptKeysOf: [KeySlot] = []
  /// Whether a cached master key is not accepted, because a key slot must be proved.
  package var needsKeySlot = false
  /// Whether only a security key is accepted.
  package var needsSecurityKey = false
  /// A PRF input that the security key also evaluates in the same touch.
  package var extraSalt: [UInt8]?
  /// The purpose for which the security key is requested.
  package var purpose = Event.KeyPurpose.opening
  /// Whether the user must choose one of several suitable security keys that are plugged in.
  package var mustBeOneKey = false

  /// The number of PINs that the command needs from the same source after the one that opens the
  /// backup.
  package var furtherPINs = 0

  package init(
    only: Set<KeyID>? = nil, except: Set<KeyID> = [], exceptKeysOf: [KeySlot] = [],
    needsKeySlot: Bool = false, needsSecurityKey: Bool = false, extraSalt: [UInt8]? = nil,
    purpose: Event.KeyPurpose = .opening, mustBeOneKey: Bool = false, furtherPINs: Int = 0
  ) {
    self.only = only
    self.except = except
    self.exceptKeysOf = exceptKeysOf
    self.needsKeySlot = needsKeySlot
    self.needsSecurityKey = needsSecurityKey
    self.extraSalt = extraSalt
    self.purpose = purpose
    self.mustBeOneKey = mustBeOneKey
    self.furtherPINs = furtherPINs
  }

  /// The scan with only the accepted key slots.
  package func allowed(_ scan: NamespaceScan) -> NamespaceScan {
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
  package func isSameKey(as other: KeySlot, elsewhere: Bool = false) -> Bool {
    credentialID != nil && credentialID == other.credentialID && rpID == other.rpID
      && !(elsewhere && namespaceID == other.namespaceID)
  }
}

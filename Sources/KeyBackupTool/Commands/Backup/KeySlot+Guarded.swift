internal import BackupFolder
internal import CSPP

/// The words of `status` about a way in that needs guards.
extension KeySlot {
  /// The sentence with the command that proves it; nil for other kinds.
  var guardedProof: String? {
    switch kind {
    case .guardedPIN: "Run: keybackup verify --deep --guard-pin"
    case .guardedLogin: "Run: keybackup verify --deep --guard-login"
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown: nil
    }
  }

  /// The advice to begin or to end a renewal.
  ///
  /// - Parameter replaced: whether another one takes its place.
  /// - Returns: nil where nothing is left to do.
  func renewalAdvice(replaced: Bool) -> String? {
    let name = "\"\(KeySlotSelector.shown(self))\""
    if isGuarded, replaced {
      return "\(name) was renewed. It stays until the new one opens the backup. To continue: "
        + "keybackup guard renew"
    }
    guard needsRenewal else { return nil }
    return "the master key was rotated since \(name) was added. Anyone who knows the former one "
      + "can end its accounts at the guards. Run: keybackup guard renew"
  }
}

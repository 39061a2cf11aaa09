internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import Unlocking

/// The words of `status` about ways in that need guards, and about pending ones.
extension KeySlot {
  /// The sentence with the command that proves it; nil for other kinds.
  package var guardedProof: String? { guardedOption.map { "Run: keybackup verify --deep \($0)" } }

  /// The advice to begin or to end a renewal.
  ///
  /// - Parameter replaced: whether another one takes its place.
  /// - Returns: nil where nothing is left to do.
  func renewalAdvice(replaced: Bool) -> String? {
    let name = "\"\(KeySlotSelector.shown(self))\""
    if isGuarded, replaced {
      return "\(name) was renewed. The earlier one stays until you have used the new one. Then "
        + "run: keybackup guard renew --finish"
    }
    guard needsRenewal else { return nil }
    return "the master key was rotated since \(name) was added. Anyone who knows the former one "
      + "can end its accounts at the guards. Run: keybackup guard renew"
      + (keyID.map { " \($0.hex.prefix(ShortID.leastShown))" } ?? "")
  }

  /// The advice to use pending key slots.
  ///
  /// Those with guards are renewed instead, and each says so itself.
  static func advice(onPending waiting: [KeySlot]) -> [String] {
    let pending = waiting.filter { !$0.isGuarded }
    if pending.isEmpty { return [] }
    let labels = pending.map { PrintableText.name($0.label, limit: 40) }
    let kits = pending.count { Kit($0) != nil }
    let plugging = kits < pending.count ? " Plug each in and run: keybackup key repair" : ""
    let repair = "for a recovery kit, run: keybackup key repair --recovery-code"
    return [
      "these ways in have no new file since the master key was rotated, and still open the backup: "
        + labels.joined(separator: ", ") + "." + plugging,
      "if one of them is lost, remove it: keybackup key remove KEY",
    ] + (kits > 0 ? [repair] : [])
  }
}

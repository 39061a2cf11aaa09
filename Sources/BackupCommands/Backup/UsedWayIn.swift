internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import Unlocking

/// The way in that gave the master key to `verify --deep`.
struct UsedWayIn {
  /// Its key slot; nil for a cached master key, and for an offline kit.
  private let slot: KeySlot?
  private let keyID: KeyID?

  init(_ unlocked: borrowing UnlockedMasterKey) {
    slot = unlocked.slot
    keyID = unlocked.keyID
  }

  /// The ID of the way in that was used; nil where none was.
  func id(in opened: borrowing OpenNamespace) -> KeyID? {
    opened.openedBy ?? (isEarlier(than: opened.id) ? keyID : nil)
  }

  /// The reason why no file of the backup's own ways in was tested; nil: one was.
  func note(in opened: borrowing OpenNamespace) -> String? {
    if opened.openedBy != nil { return nil }
    if slot == nil, keyID == nil {
      return "No way in was tested: this computer knew the master key."
    }
    guard isEarlier(than: opened.id) else {
      return "No way in was tested: another program's file opened the backup."
    }
    let name = slot.map { "\"\(KeySlotSelector.shown($0))\"" } ?? "The recovery kit"
    let used =
      "\(name) was used. It opened the backup as it was before its master key was rotated, and "
      + "so this one. "
    if let slot, slot.isGuarded {
      return used + "To renew it: keybackup guard renew"
        + (slot.keyID.map { " \($0.hex.prefix(ShortID.leastShown))" } ?? "")
    }
    return used + "To give it a file of its own here: keybackup key repair"
      + (slot?.kind == .securityKey ? "" : " --recovery-code")
  }

  /// Whether it opened a namespace before this one.
  private func isEarlier(than id: NamespaceID) -> Bool {
    slot.map { $0.namespaceID != id && $0.keyID != nil } ?? (keyID != nil)
  }
}

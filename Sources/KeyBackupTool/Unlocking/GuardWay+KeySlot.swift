internal import BackupFolder
internal import CSPP

extension GuardWay {
  /// The way in of a key slot; nil for other kinds.
  init?(_ slot: KeySlot, moved: [GuardID: ServiceURL]) {
    guard let keyID = slot.keyID else { return nil }
    switch slot.kind {
    case .guardedPIN(let header):
      self.init(keyID, label: slot.label, header, moved: moved)
    case .guardedLogin(let header):
      self.init(keyID, label: slot.label, header, moved: moved)
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown: return nil
    }
  }

  /// The guards of a key slot; none for other kinds.
  static func servers(of slot: KeySlot, moved: [GuardID: ServiceURL]) -> [GuardServer] {
    GuardWay(slot, moved: moved)?.servers ?? []
  }
}

extension KeySlot {
  /// The schedule of a PIN with guards; nil for other kinds.
  var guardSchedule: DelaySchedule? {
    if case .guardedPIN(let header) = kind { header.schedule } else { nil }
  }
}

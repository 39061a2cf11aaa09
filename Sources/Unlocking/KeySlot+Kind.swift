package import BackupFolder
internal import CSPP
internal import CommandKit

extension KeySlot {
  /// Its kind, for a person.
  package var kindText: String {
    switch kind {
    case .securityKey: "security key"
    case .csppEnvelope: "other program"
    case .recoveryCode: "recovery kit"
    case .guardedPIN: "PIN with guards"
    case .guardedLogin: "login with guards"
    case .unknown(let name): PrintableText.name(name.replacing("_", with: " "), limit: 32)
    }
  }
}

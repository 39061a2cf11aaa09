public import CSPP

/// A security key's credential, or another holder of a secret, that is to become a key slot.
public struct Enrolment: Equatable, Sendable {
  /// The key slot's ID, 16 random bytes.
  public let keyID: KeyID
  /// The name that the user gives it.
  public let label: String
  /// The source of its secret.
  public let kind: KeyHeader.Kind
  /// The key slot that it replaces once it has been proved.
  public let replaces: KeyID?

  /// Describes a key slot that is not written yet.
  public init(
    label: String, kind: KeyHeader.Kind, keyID: KeyID = .random(), replaces: KeyID? = nil
  ) {
    self.keyID = keyID
    self.label = label
    self.kind = kind
    self.replaces = replaces
  }

  /// Describes a security key's credential that is not written yet.
  public init(label: String, securityKey: KeyHeader.SecurityKey, keyID: KeyID = .random()) {
    self.init(label: label, kind: .securityKey(securityKey), keyID: keyID)
  }

  /// The credential of a security key.
  var credentialID: [UInt8]? {
    if case .securityKey(let key) = kind { key.credentialID } else { nil }
  }
}

public import CSPP

/// A security key's credential that is to become a way in.
public struct Enrolment: Equatable, Sendable {
  /// Names the way in; 16 random bytes.
  public let keyID: KeyID
  /// The name a person gives it.
  public let label: String
  /// The credential and its PRF salt.
  public let securityKey: KeyHeader.SecurityKey

  /// Describes a way in that is not written yet.
  public init(label: String, securityKey: KeyHeader.SecurityKey, keyID: KeyID = .random()) {
    self.keyID = keyID
    self.label = label
    self.securityKey = securityKey
  }
}

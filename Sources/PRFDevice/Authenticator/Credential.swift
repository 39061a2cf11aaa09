/// The degree to which a key hides a credential from callers without user verification (CTAP 2.1,
/// section 12.1).
///
/// Level 3 is not offered: it hides a credential from the silent pre-flight, so a caller could not
/// tell which key to touch.
public enum CredentialProtection: Int32, Sendable {
  /// Level 1: user verification is optional.
  case userVerificationOptional = 1
  /// Level 2: without user verification, a caller needs the ID to find it.
  case userVerificationOptionalWithCredentialID = 2
}

/// A credential to be created.
///
/// hmac-secret is always requested, and the user ID is always fresh: an existing one would silently
/// replace an older credential.
public struct CredentialRequest: Equatable, Sendable {
  /// The relying party ID, which is also the salt of its scope.
  public var rpID: String
  /// The relying party's name, shown by other tools that list credentials.
  public var rpName: String
  /// The user name, shown by tools that list credentials.
  public var userName: String
  /// The display name, shown by tools that list credentials.
  public var userDisplayName: String
  /// Whether the key itself can find the credential, which takes a slot.
  public var isDiscoverable: Bool
  /// The credentials that must not be on the key already.
  public var excludedIDs: [CredentialID]
  /// The protection to request, if the key supports any.
  public var protection: CredentialProtection?

  /// Creates a request; see the properties.
  public init(
    rpID: String, rpName: String, userName: String, userDisplayName: String,
    isDiscoverable: Bool, excludedIDs: [CredentialID] = [],
    protection: CredentialProtection? = nil
  ) {
    self.rpID = rpID
    self.rpName = rpName
    self.userName = userName
    self.userDisplayName = userDisplayName
    self.isDiscoverable = isDiscoverable
    self.excludedIDs = excludedIDs
    self.protection = protection
  }
}

/// A credential that was just created.
public struct CreatedCredential: Equatable, Sendable {
  /// The credential's ID.
  public let id: CredentialID
  /// The user ID created for it, 16 random bytes.
  public let userID: [UInt8]
  /// The model of the authenticator, 16 bytes; all zero when the authenticator hides it.
  public let aaguid: AAGUID
  /// The protection that the key confirmed; `nil` when it confirmed none.
  public let protection: Int?
  /// Whether user verification took place.
  public let isUserVerified: Bool
}

/// A discoverable credential as listed by the key.
public struct StoredCredential: Equatable, Sendable {
  /// The credential's ID.
  public let id: CredentialID
  /// The relying party ID.
  public let rpID: String
  /// The user ID.
  public let userID: [UInt8]
  /// The user name, if stored.
  public let userName: String?
  /// The display name, if stored.
  public let userDisplayName: String?
}

/// Whether a key holds a credential, as far as it tells without a PIN.
public enum Holding: Equatable, Sendable {
  /// It holds this one.
  case yes(CredentialID)
  /// It holds none of them.
  case no
  /// It may hold one, but does not say so without user verification.
  case maybe
}

/// How far a key hides a credential from callers without user verification
/// (CTAP 2.1, section 12.1).
///
/// Level 3 is not offered: it hides a credential
/// from the silent pre-flight, so that nobody could tell which key to touch.
public enum CredentialProtection: Int32, Sendable {
  /// Level 1: user verification is optional.
  case userVerificationOptional = 1
  /// Level 2: without user verification, only who knows the ID finds it.
  case userVerificationOptionalWithCredentialID = 2
}

/// A credential to be made.
///
/// hmac-secret is always asked for, and the user ID
/// is always fresh: the same one would silently replace an older credential.
public struct CredentialRequest: Equatable, Sendable {
  /// The relying party ID, also the salt of its scope.
  public var rpID: String
  /// The relying party's name, shown by other tools that list credentials.
  public var rpName: String
  /// The user name, shown by tools that list credentials.
  public var userName: String
  /// The display name, shown by tools that list credentials.
  public var userDisplayName: String
  /// Whether the key itself can find the credential, which takes a slot.
  public var isDiscoverable: Bool
  /// Refuse if the key holds one of these already.
  public var excludedIDs: [CredentialID]
  /// Protection to ask for, where the key supports any.
  public var protection: CredentialProtection?

  /// Describes a credential; see the properties.
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

/// A credential that was just made.
public struct CreatedCredential: Equatable, Sendable {
  /// The credential's ID.
  public let id: CredentialID
  /// The user ID made for it, 16 random bytes.
  public let userID: [UInt8]
  /// The model of the authenticator, 16 bytes; all zero when it hides it.
  public let aaguid: AAGUID
  /// Protection as the key confirmed it; `nil` when it confirmed none.
  public let protection: Int?
  /// Whether user verification took place.
  public let isUserVerified: Bool
}

/// A discoverable credential as the key lists it.
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
  /// It may hold one and not say so without user verification.
  case maybe
}

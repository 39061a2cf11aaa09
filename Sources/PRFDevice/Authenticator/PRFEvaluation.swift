public import SecretMemory

/// One evaluation of the PRF: the relying party, the credentials, and one or two inputs.
public struct PRFRequest: Equatable, Sendable {
  /// The most bytes of a relying party ID: 253, as of a domain name.
  ///
  /// libfido2 would begin to send a request too long for any message, and the connection would be
  /// lost.
  public static let maximumRelyingPartyIDBytes = 253

  /// The relying party ID of the credential.
  public var rpID: String
  /// The credentials that may answer.
  ///
  /// If empty, every discoverable credential of the relying party answers.
  public var credentialIDs: [CredentialID]
  /// The first input.
  public var first: PRFInput
  /// The second input, for a second output in the same touch.
  public var second: PRFInput?

  /// Creates a request; see the properties.
  public init(
    rpID: String, credentialIDs: [CredentialID] = [], first: PRFInput, second: PRFInput? = nil
  ) {
    self.rpID = rpID
    self.credentialIDs = credentialIDs
    self.first = first
    self.second = second
  }

  /// Throws if the text is not a relying party ID, or would be a different one in C.
  static func check(rpID: String) throws(PRFDeviceError) {
    guard (1...maximumRelyingPartyIDBytes).contains(rpID.utf8.count), !rpID.utf8.contains(0) else {
      throw .invalidInput("relying party ID")
    }
  }

  /// The 32 or 64 bytes of salt for the authenticator.
  var salts: [UInt8] {
    first.hmacSecretSalt + (second?.hmacSecretSalt ?? [])
  }
}

/// The PRF's answer for one credential, under user verification.
///
/// It is shared by reference. The outputs stay in one guarded allocation and are wiped with the
/// last reference.
@safe
public final class PRFEvaluation: Sendable {
  /// The credential that answered.
  public let credentialID: CredentialID
  /// The user handle stored on the key, if it was sent (discoverable only).
  public let userID: [UInt8]
  /// The user name stored on the key, if it was sent (several discoverable).
  public let userName: String?
  /// The display name stored on the key, if it was sent.
  public let userDisplayName: String?

  /// 32 bytes for each input.
  private let outputs: SecretBytes

  init(
    credentialID: CredentialID, userID: [UInt8], userName: String?, userDisplayName: String?,
    outputs: consuming SecretBytes
  ) {
    self.credentialID = credentialID
    self.userID = userID
    self.userName = userName
    self.userDisplayName = userDisplayName
    self.outputs = outputs
  }

  /// Whether there is a second output.
  public var hasSecond: Bool { outputs.count > PRFInput.saltSize }

  /// A copy of the first output, 32 bytes, with its own owner.
  public func first() -> SecretBytes {
    outputs.copy(0..<PRFInput.saltSize)
  }

  /// A copy of the second output, 32 bytes, with its own owner; `nil` when one input was given.
  public func second() -> SecretBytes? {
    guard hasSecond else { return nil }
    return outputs.copy(PRFInput.saltSize..<2 * PRFInput.saltSize)
  }
}

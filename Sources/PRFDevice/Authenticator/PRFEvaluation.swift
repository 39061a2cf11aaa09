public import SecretMemory

/// One evaluation of the PRF: which relying party, which credentials, which
/// one or two inputs.
public struct PRFRequest: Equatable, Sendable {
  /// The most bytes of a relying party ID, those of a domain name, 253.
  ///
  /// libfido2 begins to send a request beyond every message all the same, and
  /// the connection is lost.
  public static let maximumRelyingPartyIDBytes = 253

  /// The relying party ID the credential is bound to.
  public var rpID: String
  /// The credentials that may answer; empty asks every discoverable
  /// credential of the relying party, and each answers.
  public var credentialIDs: [CredentialID]
  /// The first input.
  public var first: PRFInput
  /// The second input, for a second output in the same touch.
  public var second: PRFInput?

  /// Describes an evaluation; see the properties.
  public init(
    rpID: String, credentialIDs: [CredentialID] = [], first: PRFInput, second: PRFInput? = nil
  ) {
    self.rpID = rpID
    self.credentialIDs = credentialIDs
    self.first = first
    self.second = second
  }

  /// Refuses what is no relying party ID, or would be another one in C.
  static func check(rpID: String) throws(PRFDeviceError) {
    guard (1...maximumRelyingPartyIDBytes).contains(rpID.utf8.count), !rpID.utf8.contains(0) else {
      throw .invalidInput("relying party ID")
    }
  }

  /// The 32 or 64 bytes of salt that the authenticator gets.
  var salts: [UInt8] {
    first.hmacSecretSalt + (second?.hmacSecretSalt ?? [])
  }
}

/// The PRF's answer for one credential, under user verification.
///
/// Shared by reference; the outputs stay in one guarded allocation and are
/// wiped with the last reference.
@safe
public final class PRFEvaluation: Sendable {
  /// The credential that answered.
  public let credentialID: CredentialID
  /// The user handle the key stored, when it says it (discoverable only).
  public let userID: [UInt8]
  /// The user name the key stored, when it says it (several discoverable).
  public let userName: String?
  /// The display name the key stored, when it says it.
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

  /// A new owner of the first output, 32 bytes.
  public func first() -> SecretBytes {
    outputs.copy(0..<PRFInput.saltSize)
  }

  /// A new owner of the second output, 32 bytes; `nil` when one input was given.
  public func second() -> SecretBytes? {
    guard hasSecond else { return nil }
    return outputs.copy(PRFInput.saltSize..<2 * PRFInput.saltSize)
  }
}

internal import SecretMemory

/// One input of the PRF: an input of WebAuthn's `prf` extension, or a plain hmac-secret salt.
public struct PRFInput: Equatable, Sendable {
  /// The size of an hmac-secret salt and of an output, 32 bytes.
  public static let saltSize = 32

  /// The 32 bytes for the authenticator.
  public let hmacSecretSalt: [UInt8]

  private init(hmacSecretSalt: [UInt8]) {
    self.hmacSecretSalt = hmacSecretSalt
  }

  /// Creates an input from a WebAuthn PRF input of any size.
  ///
  /// The salt is SHA-256("WebAuthn PRF" 0x00 input), so that the output equals that of a browser
  /// (WebAuthn Level 3, section 10.1.4).
  public static func webAuthn(_ input: [UInt8]) -> PRFInput {
    var hash = SHA256()
    unsafe hash.update(webAuthnPrefix.span.bytes)
    unsafe hash.update(input.span.bytes)
    return PRFInput(hmacSecretSalt: hash.finalize())
  }

  /// Creates an input from an hmac-secret salt, which is sent unchanged.
  ///
  /// - Parameter salt: exactly 32 bytes.
  /// - Returns: the input.
  /// - Throws: ``PRFDeviceError/invalidInput(_:)`` for any other size.
  public static func raw(_ salt: [UInt8]) throws(PRFDeviceError) -> PRFInput {
    guard salt.count == saltSize else { throw .invalidInput("hmac-secret salt") }
    return PRFInput(hmacSecretSalt: salt)
  }

  private static let webAuthnPrefix = Array("WebAuthn PRF".utf8) + [0]
}

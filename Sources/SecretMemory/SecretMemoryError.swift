/// What the cryptographic primitives can refuse.
public enum SecretMemoryError: Error, Equatable, Sendable {
  /// The authentication tag does not match: wrong key, nonce, associated data,
  /// or changed bytes. Nothing was decrypted.
  case authenticationFailed
  /// A parameter has a size or a value outside what the algorithm or our own
  /// bounds allow; the text names the parameter, never a secret.
  case invalidParameter(String)
  /// Argon2id could not get the memory its parameters ask for.
  case outOfMemory
}

/// The errors of the cryptographic primitives.
public enum SecretMemoryError: Error, Equatable, Sendable {
  /// The authentication tag does not match: wrong key, nonce or associated data, or changed bytes.
  ///
  /// Nothing was decrypted.
  case authenticationFailed
  /// A parameter's size or value is outside the limits of the algorithm or of this program.
  ///
  /// The text names the parameter, never a secret.
  case invalidParameter(String)
  /// Argon2id could not allocate the memory that its parameters require.
  case outOfMemory
}

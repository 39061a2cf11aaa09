/// A guard's ID: the first 16 bytes of the SHA-256 of its Ed25519 key, 32 digits.
public struct GuardID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }

  /// The ID of the guard that has this key.
  public init(of key: SigningKey) {
    let digest = Digest(of: key.bytes.span)
    words = SIMD2(digest.words[0], digest.words[1])
  }
}

/// An account's ID: the SHA-256 of its ask key, 64 digits.
public struct GuardAccountID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD4<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// The ID of the account that has this ask key.
  public init(of askKey: SigningKey) { words = Digest(of: askKey.bytes.span).words }
}

internal import SecretMemory

/// Names a namespace: 16 bytes derived from its master key, 32 digits.
public struct NamespaceID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Takes the bytes as big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }
}

/// Names a key slot, one file of `keybackup/keys/`: 16 random bytes, 32 digits.
public struct KeyID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Takes the bytes as big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }
}

/// Names one computer's log: 16 random bytes, 32 digits.
public struct WriterID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Takes the bytes as big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }
}

/// Names a wallet's record: the SHA-256 of its wallet ID, 64 digits.
public struct RecordID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD4<UInt64>
  /// Takes the bytes as big-endian words.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// The record of a wallet.
  public init(walletID: String) {
    words = Digest(of: Array(walletID.utf8).span).words
  }
}

/// A SHA-256 digest: 32 bytes, 64 digits.
public struct Digest: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD4<UInt64>
  /// Takes the bytes as big-endian words.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// The digest of bytes that are not secret: a file.
  public init(of bytes: Span<UInt8>) {
    self.init(of: unsafe bytes.bytes)
  }

  /// The digest of bytes lent from guarded memory.
  public init(of bytes: RawSpan) {
    let digest = SHA256.hash(bytes)
    words = unsafe SIMD4(bigEndian: digest.span.bytes)
  }
}

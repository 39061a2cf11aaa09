internal import SecretMemory

/// The ID of a namespace: 16 bytes derived from its master key, 32 digits.
public struct NamespaceID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }
}

/// The ID of a key slot, one file of `keybackup/keys/`: 16 random bytes, 32 digits.
public struct KeyID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }
}

/// The ID of one computer's log: 16 random bytes, 32 digits.
public struct WriterID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }
}

/// The ID of a file whose versions are kept: 16 random bytes, 32 digits.
public struct FileID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }
}

/// The Ed25519 public key of a silent writer: 32 bytes, 64 digits.
///
/// Any 32 bytes are one until ``isValid`` was asked.
public struct SigningKey: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD4<UInt64>
  /// Creates the key from big-endian words.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// Whether a signing pair can have this key; nobody else's key may be authorised.
  ///
  /// A key of small order, under which one signature fits many messages, is none.
  public var isValid: Bool { Ed25519.isValidKey(bytes) }
}

/// An X25519 public key: 32 bytes, 64 digits.
public struct X25519Key: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD4<UInt64>
  /// Creates the key from big-endian words.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// Whether something can be sealed to this key; a point of low order has no secret.
  public var isValid: Bool {
    (try? X25519.sharedSecret(of: .random(count: X25519.keySize), with: bytes)) != nil
  }
}

/// The ID of a wallet's record: the SHA-256 of its wallet ID, 64 digits.
public struct RecordID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD4<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// Creates the ID of a wallet's record.
  public init(walletID: String) {
    words = Digest(of: Array(walletID.utf8).span).words
  }
}

/// A SHA-256 digest: 32 bytes, 64 digits.
public struct Digest: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD4<UInt64>
  /// Creates the digest from big-endian words.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// Computes the digest of bytes that are not secret, such as a file.
  public init(of bytes: Span<UInt8>) {
    self.init(of: unsafe bytes.bytes)
  }

  /// Computes the digest of bytes in guarded memory.
  public init(of bytes: RawSpan) {
    let digest = SHA256.hash(bytes)
    words = unsafe SIMD4(bigEndian: digest.span.bytes)
  }
}

// The top folder of this module is for the parts that all formats share: identifiers, the master
// key and its derivations, sizes, names, errors. Every room uses it. No format is known here, and
// the whole module knows no file, clock or device.

public import SecretMemory

/// The secret from which a namespace's keys and its ID are derived: 32 bytes.
///
/// Every derivation is HKDF-SHA-256 with 32 bytes of output (CSPP v1).
public struct MasterKey: ~Copyable, Sendable {
  /// The size in bytes.
  public static let byteCount = 32

  private let bytes: SecretBytes
  private let critical: SecretBytes

  /// The namespace that this key opens.
  public let namespaceID: NamespaceID

  /// Creates a master key from unwrapped bytes.
  ///
  /// - Throws: ``CSPPError/invalidField(_:)`` unless there are 32 bytes.
  public init(_ bytes: consuming SecretBytes) throws(CSPPError) {
    guard bytes.count == Self.byteCount else { throw .invalidField("master key") }
    self.init(checked: bytes)
  }

  private init(checked bytes: consuming SecretBytes) {
    namespaceID = HKDFSHA256.deriveKey(ikm: bytes, info: "cspp:v1:namespace-id").withBytes { id in
      // The first 16 of the 32 bytes.
      NamespaceID(words: SIMD2(bigEndian: id))
    }
    critical = HKDFSHA256.deriveKey(ikm: bytes, info: "cspp:v1:critical")
    self.bytes = bytes
  }

  /// Creates a random key.
  public static func random() -> MasterKey {
    MasterKey(checked: .random(count: byteCount))
  }

  /// A second, independent owner of the same key.
  public borrowing func copy() -> MasterKey {
    MasterKey(checked: bytes.copy())
  }

  /// Passes the 32 bytes to a closure that wraps them.
  public borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try bytes.withBytes(body)
  }

  /// The key from which wallet keys are derived.
  public borrowing func criticalDataKey() -> SecretBytes { critical.copy() }

  /// CSPP's key for data that is private but not secret; see ``SensitiveData``.
  public borrowing func sensitiveDataKey() -> SecretBytes {
    HKDFSHA256.deriveKey(ikm: bytes, info: "cspp:v1:sensitive")
  }

  /// The key of one wallet envelope.
  ///
  /// - Parameter salt: the envelope's 32 random bytes.
  /// - Returns: 32 bytes.
  public borrowing func walletKey(salt: [UInt8]) -> SecretBytes {
    HKDFSHA256.deriveKey(ikm: critical, salt: salt, info: "cspp:v1:wallet")
  }

  /// The key of one operation of one computer.
  public borrowing func operationKey(writer: WriterID, counter: UInt64) -> SecretBytes {
    HKDFSHA256.deriveKey(ikm: bytes, info: "keybackup:v1:op:\(writer):\(counter)")
  }
}

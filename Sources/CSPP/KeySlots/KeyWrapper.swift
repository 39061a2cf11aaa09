// This folder is for the files of key slots, recovery codes, and boxes for slots that are
// not at hand. Callers wrap and unwrap a master key with a slot's secret. Where that comes
// from is not known here.

public import SecretMemory

/// One file of `keybackup/keys/`: the master key under one key slot.
///
/// Written once and never changed.
public struct KeyWrapper: Equatable, Sendable {
  static let format: StaticString = "keybackup-key"

  /// What the file says about the key slot.
  public let header: KeyHeader
  /// X25519 public key to which a later master key can be sealed for this slot
  /// while it is not at hand: 32 bytes.
  public let recipient: [UInt8]
  private let file: ProtectedFile
  /// Ciphertext and tag.
  private let sealed: [UInt8]

  /// Reads a file without any key.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace in whose folder the file lies; nil skips
  ///     the comparison.
  ///   - limit: largest size in bytes.
  /// - Throws: every case of ``CSPPError`` that concerns bytes and fields. A
  ///   kind that is not known is no error.
  public init(
    parsing file: Span<UInt8>, at namespaceID: NamespaceID?,
    limit: Int = SizeLimits.standard.wrapper
  ) throws(CSPPError) {
    self.file = try ProtectedFile(parsing: file, format: Self.format, limit: limit)
    let text = unsafe file.bytes.extracting(self.file.ciphertext)
    guard let sealed = Base64.decode(text, .standard),
      sealed.count == MasterKey.byteCount + ChaCha20Poly1305.tagSize
    else { throw .invalidField("ciphertext") }
    self.sealed = sealed
    (header, recipient) = try KeyHeader.parse(self.file.header)
    if let namespaceID, header.namespaceID != namespaceID {
      throw .contradictsPlace("namespace_id")
    }
  }

  /// Tells this header and what is sealed under it from any other file's, however
  /// the JSON around them is spelled.
  public var contentDigest: Digest {
    Digest(of: (file.protected + file.nonce + sealed).span)
  }

  /// Unwraps the master key.
  ///
  /// - Parameter secret: the slot's secret; of a security key, its PRF output.
  /// - Returns: the master key, known to belong to the header's namespace.
  /// - Throws: ``CSPPError/authenticationFailed`` for another slot's secret,
  ///   ``CSPPError/otherNamespace``.
  public func open(secret: borrowing SecretBytes) throws(CSPPError) -> MasterKey {
    let key = Self.wrappingKey(secret: secret, keyID: header.keyID)
    let bytes = try AEAD.open(
      sealed, key: key, nonce: file.nonce, associatedData: file.protected)
    let masterKey = try MasterKey(bytes)
    guard masterKey.namespaceID == header.namespaceID else { throw .otherNamespace }
    return masterKey
  }

  /// Wraps a master key.
  ///
  /// - Parameters:
  ///   - masterKey: the key to wrap.
  ///   - secret: the slot's secret; of a security key, its PRF output.
  ///   - header: describes the key slot; its namespace is the master key's.
  /// - Returns: the file's bytes.
  /// - Throws: ``CSPPError/invalidField(_:)``, ``CSPPError/otherNamespace``.
  public static func seal(
    _ masterKey: borrowing MasterKey, secret: borrowing SecretBytes, header: KeyHeader
  ) throws(CSPPError) -> [UInt8] {
    guard header.namespaceID == masterKey.namespaceID else { throw .otherNamespace }
    let recipient = try recipient(secret: secret, keyID: header.keyID)
    let key = wrappingKey(secret: secret, keyID: header.keyID)
    let json = try header.json(recipient: recipient)
    let file = try ProtectedFile.seal(
      masterKey.withBytes { SecretBytes(copying: $0) }, header: json,
      format: format.description, key: key)
    return unsafe file.withUnsafeBytes { unsafe Array($0) }
  }

  /// The key that wraps the master key.
  static func wrappingKey(secret: borrowing SecretBytes, keyID: KeyID) -> SecretBytes {
    HKDFSHA256.deriveKey(ikm: secret, info: "keybackup:v1:wrap:\(keyID)")
  }

  /// The X25519 secret of a key slot.
  public static func recipientSecret(
    secret: borrowing SecretBytes, keyID: KeyID
  ) -> SecretBytes {
    HKDFSHA256.deriveKey(ikm: secret, info: "keybackup:v1:recipient:\(keyID)")
  }

  private static func recipient(
    secret: borrowing SecretBytes, keyID: KeyID
  ) throws(CSPPError) -> [UInt8] {
    do {
      return try X25519.publicKey(of: recipientSecret(secret: secret, keyID: keyID))
    } catch {
      throw CSPPError(error)
    }
  }
}

// This folder is for the files of key slots, recovery codes, and boxes for slots that are not
// plugged in. Callers wrap and unwrap a master key with a slot's secret. The source of that secret
// is not known here.

public import SecretMemory

/// One file of `keybackup/keys/`: the master key wrapped for one key slot.
///
/// It is written once and never changed.
public struct KeyWrapper: Equatable, Sendable {
  static let format: StaticString = "keybackup-key"

  /// The description of the key slot.
  public let header: KeyHeader
  /// The X25519 public key, 32 bytes, to which a later master key can be sealed for this slot while
  /// it is not plugged in.
  public let recipient: [UInt8]
  private let file: ProtectedFile
  /// The ciphertext and tag.
  private let sealed: [UInt8]

  /// Parses a file without any key.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace of the file's folder; nil skips the comparison.
  ///   - limit: the largest size in bytes.
  /// - Throws: every case of ``CSPPError`` about bytes and fields. An unknown kind is no error.
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

  /// The digest of the header and its sealed contents, whatever the spelling of the JSON around
  /// them.
  public var contentDigest: Digest {
    Digest(of: (file.protected + file.nonce + sealed).span)
  }

  /// Unwraps the master key.
  ///
  /// The recipient that derives from the secret must be the header's *before* the ciphertext is
  /// opened. ChaCha20-Poly1305 does not commit to its key, so a planted ciphertext may open with
  /// several secrets. Whether it did would tell its author something about the secret.
  ///
  /// - Parameter secret: the slot's secret; of a security key, its PRF output.
  /// - Returns: the master key, known to belong to the header's namespace.
  /// - Throws: ``CSPPError/authenticationFailed`` for another slot's secret,
  ///   ``CSPPError/otherNamespace``.
  public func open(secret: borrowing SecretBytes) throws(CSPPError) -> MasterKey {
    guard hasRecipient(of: secret) else { throw .authenticationFailed }
    let key = Self.wrappingKey(secret: secret, keyID: header.keyID)
    let bytes = try AEAD.open(
      sealed, key: key, nonce: file.nonce, associatedData: file.protected)
    let masterKey = try MasterKey(bytes)
    guard masterKey.namespaceID == header.namespaceID else { throw .otherNamespace }
    return masterKey
  }

  /// Whether the recipient that derives from a secret is the header's.
  ///
  /// A file with this secret that does not open was changed or damaged.
  public func hasRecipient(of secret: borrowing SecretBytes) -> Bool {
    (try? Self.recipient(secret: secret, keyID: header.keyID)) == recipient
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

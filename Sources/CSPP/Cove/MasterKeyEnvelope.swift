public import SecretMemory

/// CSPP's envelope: the master key sealed with one authenticator's PRF output.
///
/// The PRF output itself is the wrapping key; there is no associated data.
public struct MasterKeyEnvelope: Equatable, Sendable {
  /// The addition of `keybackup` that names the envelope's credential.
  ///
  /// It is a plain claim, like everything outside the ciphertext.
  public struct KeyReference: Equatable, Sendable {
    /// The key slot of `keys/` with the same credential.
    public var keyID: KeyID
    /// The credential's relying party ID.
    public var rpID: String
    /// The credential ID.
    public var credentialID: [UInt8]

    /// Creates a reference to a key slot and its credential.
    public init(keyID: KeyID, rpID: String, credentialID: [UInt8]) {
      self.keyID = keyID
      self.rpID = rpID
      self.credentialID = credentialID
    }
  }

  /// The passkey provider that created the credential, as Cove records it.
  public struct ProviderHint: Equatable, Sendable {
    /// The provider's AAGUID, hyphenated.
    public let aaguid: String?
    /// `ios` or `android`.
    public let registeredPlatform: String?
    /// The end of the credential's user name, which distinguishes several.
    public let nameSuffix: String?
  }

  let fields: CSPPFields

  /// The WebAuthn PRF input of the wrapping key: 32 bytes.
  public let prfSalt: [UInt8]
  /// The addition of `keybackup`; nil in other programs' envelopes.
  public let keyReference: KeyReference?
  /// Cove's record of the passkey provider.
  public let providerHint: ProviderHint?
  let nonce: [UInt8]
  let ciphertext: [UInt8]

  /// The namespace ID in the plain field.
  public var namespaceID: NamespaceID? { fields.namespaceID }
  /// The time in Unix seconds; a plain claim.
  public var createdAt: UInt64? { fields.createdAt }
  /// The time in Unix seconds; a plain claim.
  public var updatedAt: UInt64? { fields.updatedAt }

  /// Parses an envelope.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace of the file's folder; nil skips the comparison.
  ///   - limit: the largest size in bytes.
  /// - Throws: every case of ``CSPPError`` about bytes and fields.
  public init(
    parsing file: Span<UInt8>, at namespaceID: NamespaceID?,
    limit: Int = SizeLimits.standard.wrapper
  ) throws(CSPPError) {
    try SizeLimits.check(file.count, limit)
    let text = unsafe file.bytes
    let object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
    fields = try CSPPFields(
      object, in: text, kind: "master_key", versions: 1...1, namespaceID: namespaceID)
    guard fields.walletID == nil else { throw .contradictsPlace("wallet_id") }
    if let recordID = fields.recordID, !recordID.equals("cspp-master-key-v1", in: text) {
      throw .contradictsPlace("record_id")
    }
    prfSalt = try object.required("prf_salt", in: text)
      .hex("prf_salt", in: text, count: 32, upperCase: true)
    nonce = try object.required("nonce", in: text)
      .hex("nonce", in: text, count: ChaCha20Poly1305.nonceSize, upperCase: true)
    ciphertext = try object.required("ciphertext", in: text)
      .base64("ciphertext", in: text, .standard)
    guard ciphertext.count == MasterKey.byteCount + ChaCha20Poly1305.tagSize else {
      throw .invalidField("ciphertext")
    }
    providerHint = try object.optional("passkey_provider_hint", in: text)
      .map { (value) throws(CSPPError) in try ProviderHint(value, in: text) }
    keyReference = try object.optional("keybackup", in: text)
      .map { (value) throws(CSPPError) in try KeyReference(value, in: text) }
  }

  /// The digest of the sealed contents and the stated owner, whatever the spelling of the JSON
  /// around them.
  public var contentDigest: Digest {
    let owner = Array((keyReference?.json ?? "").utf8)
    return Digest(of: (prfSalt + nonce + ciphertext + owner).span)
  }

  /// Unwraps the master key.
  ///
  /// - Parameters:
  ///   - prfOutput: the PRF output for ``prfSalt``, 32 bytes.
  ///   - namespaceID: the namespace of the envelope's folder.
  /// - Returns: the master key, known to belong to the namespace.
  /// - Throws: ``CSPPError/authenticationFailed`` for another key's output,
  ///   ``CSPPError/otherNamespace``, ``CSPPError/invalidField(_:)`` for an output of another size.
  public func open(
    prfOutput: borrowing SecretBytes, namespaceID: NamespaceID
  ) throws(CSPPError) -> MasterKey {
    let bytes = try AEAD.open(ciphertext, key: prfOutput, nonce: nonce, associatedData: [])
    let masterKey = try MasterKey(bytes)
    guard masterKey.namespaceID == namespaceID else { throw .otherNamespace }
    return masterKey
  }

  /// Wraps a master key.
  ///
  /// - Parameters:
  ///   - masterKey: the key to wrap.
  ///   - prfOutput: the PRF output for `prfSalt`, 32 bytes.
  ///   - prfSalt: the WebAuthn PRF input, 32 bytes.
  ///   - keyReference: names the key slot of `keys/` with the same credential.
  ///   - createdAt: Unix seconds.
  ///   - updatedAt: Unix seconds.
  /// - Returns: the file's bytes.
  /// - Throws: ``CSPPError/invalidField(_:)`` for a wrong size.
  public static func seal(
    _ masterKey: borrowing MasterKey, prfOutput: borrowing SecretBytes, prfSalt: [UInt8],
    keyReference: KeyReference?, createdAt: UInt64, updatedAt: UInt64
  ) throws(CSPPError) -> [UInt8] {
    guard prfSalt.count == 32 else { throw .invalidField("prf_salt") }
    let nonce = Randomness.bytes(count: ChaCha20Poly1305.nonceSize)
    let ciphertext = try masterKey.withBytes { (key) throws(CSPPError) in
      try AEAD.seal(key, key: prfOutput, nonce: nonce, associatedData: [])
    }
    return Array(
      JSONText.object([
        ("version", "1"),
        ("kind", JSONText.quoted("master_key")),
        ("schema_version", "1"),
        ("namespace_id", JSONText.quoted(masterKey.namespaceID.hex)),
        ("record_id", JSONText.quoted(FolderLayout.masterKeyRecordID)),
        ("created_at", String(createdAt)),
        ("updated_at", String(updatedAt)),
        ("passkey_provider_hint", "null"),
        ("prf_salt", JSONText.quoted(Hex.string(prfSalt))),
        ("nonce", JSONText.quoted(Hex.string(nonce))),
        ("ciphertext", JSONText.quoted(Base64.string(ciphertext, .standard))),
        ("keybackup", keyReference?.json),
      ]).utf8)
  }
}

extension MasterKeyEnvelope.KeyReference {
  fileprivate init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("keybackup") }
    let object = try JSONObject(value, in: text, duplicates: .refused)
    keyID = try object.required("key_id", in: text).identifier("key_id", in: text)
    rpID = try object.required("rp_id", in: text).text("rp_id", in: text)
    credentialID = try object.required("credential_id", in: text)
      .base64("credential_id", in: text, .url)
  }

  fileprivate var json: String {
    JSONText.object([
      ("key_id", JSONText.quoted(keyID.hex)),
      ("rp_id", JSONText.quoted(rpID)),
      ("credential_id", JSONText.quoted(Base64.string(credentialID, .url))),
    ])
  }
}

extension MasterKeyEnvelope.ProviderHint {
  /// Parses a hint for people only.
  ///
  /// A field of another type is omitted: nothing depends on it, and the master key must stay
  /// accessible.
  fileprivate init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("passkey_provider_hint") }
    let object = try JSONObject(value, in: text, duplicates: .refusedOnLookup)
    func string(_ name: StaticString) throws(CSPPError) -> String? {
      guard let value = try object.optional(name, in: text), value.kind == .string else {
        return nil
      }
      return value.string(in: text)
    }
    aaguid = try string("aaguid")
    registeredPlatform = try string("registered_platform")
    nameSuffix = try string("name_suffix")
  }
}

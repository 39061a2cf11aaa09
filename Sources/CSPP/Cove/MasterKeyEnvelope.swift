public import SecretMemory

/// CSPP's envelope of the master key under one authenticator's PRF output.
///
/// The PRF output is the wrapping key itself; there is no associated data.
public struct MasterKeyEnvelope: Equatable, Sendable {
  /// What `keybackup` adds, so that the credential of the envelope is known; a
  /// plain claim, as everything outside the ciphertext.
  public struct KeyReference: Equatable, Sendable {
    /// The key slot of `keys/` that the same credential serves.
    public var keyID: KeyID
    /// The credential's relying party ID.
    public var rpID: String
    /// The credential ID.
    public var credentialID: [UInt8]

    /// Names a key slot and its credential.
    public init(keyID: KeyID, rpID: String, credentialID: [UInt8]) {
      self.keyID = keyID
      self.rpID = rpID
      self.credentialID = credentialID
    }
  }

  /// Which passkey provider made the credential, as Cove notes it.
  public struct ProviderHint: Equatable, Sendable {
    /// The provider's AAGUID, hyphenated.
    public let aaguid: String?
    /// `ios` or `android`.
    public let registeredPlatform: String?
    /// End of the credential's user name, which tells several apart.
    public let nameSuffix: String?
  }

  let fields: CSPPFields

  /// The WebAuthn PRF input of the wrapping key: 32 bytes.
  public let prfSalt: [UInt8]
  /// What `keybackup` added; nil in other programs' envelopes.
  public let keyReference: KeyReference?
  /// Cove's note on the passkey provider.
  public let providerHint: ProviderHint?
  let nonce: [UInt8]
  let ciphertext: [UInt8]

  /// The namespace that the plain field claims.
  public var namespaceID: NamespaceID? { fields.namespaceID }
  /// Unix seconds, a plain claim.
  public var createdAt: UInt64? { fields.createdAt }
  /// Unix seconds, a plain claim.
  public var updatedAt: UInt64? { fields.updatedAt }

  /// Reads an envelope.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace in whose folder the file lies; nil skips
  ///     the comparison.
  ///   - limit: largest size in bytes.
  /// - Throws: every case of ``CSPPError`` that concerns bytes and fields.
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

  /// Tells what is sealed here, and whose this says it is, from any other
  /// envelope's, however the JSON around them is spelled.
  public var contentDigest: Digest {
    let owner = Array((keyReference?.json ?? "").utf8)
    return Digest(of: (prfSalt + nonce + ciphertext + owner).span)
  }

  /// Unwraps the master key.
  ///
  /// - Parameters:
  ///   - prfOutput: the PRF output for ``prfSalt``, 32 bytes.
  ///   - namespaceID: the namespace in whose folder the envelope lies.
  /// - Returns: the master key, known to belong to the namespace.
  /// - Throws: ``CSPPError/authenticationFailed`` for another key's output,
  ///   ``CSPPError/otherNamespace``, ``CSPPError/invalidField(_:)`` for an
  ///   output of another size.
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
  /// A note for people only: a field of another type is left out, because
  /// nothing depends on it and the master key must stay in reach.
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

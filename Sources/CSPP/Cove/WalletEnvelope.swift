// This folder is for CSPP as Cove defines it: the two envelopes and the wallet's entry. It contains
// only that specification and the fields that we add to it. The log and our own key slots are not
// known here.

public import SecretMemory

/// CSPP's envelope of one wallet.
public struct WalletEnvelope: Equatable, Sendable {
  let fields: CSPPFields
  let walletSalt: [UInt8]
  let nonce: [UInt8]
  let ciphertext: [UInt8]

  /// The record ID in the plain field; nil in older envelopes.
  public let recordID: RecordID?
  /// The version: 1, or 2, which an extended private key needs; an absent version means 1.
  public var version: Int { fields.version ?? 1 }
  /// The namespace ID in the plain field.
  public var namespaceID: NamespaceID? { fields.namespaceID }
  /// The wallet ID in the plain field.
  public var walletID: String? { fields.walletID }
  /// The time in Unix seconds; a plain claim.
  public var createdAt: UInt64? { fields.createdAt }
  /// The time in Unix seconds; a plain claim.
  public var updatedAt: UInt64? { fields.updatedAt }

  /// Parses an envelope.
  ///
  /// - Parameters:
  ///   - file: the file's bytes.
  ///   - namespaceID: the namespace of the file's folder; nil skips the comparison.
  ///   - place: the record in the file's name; nil skips the comparison, for conflict copies.
  ///   - limit: the largest size in bytes.
  /// - Throws: every case of ``CSPPError`` about bytes and fields.
  public init(
    parsing file: Span<UInt8>, at namespaceID: NamespaceID?, recordID place: RecordID?,
    limit: Int = SizeLimits.standard.record
  ) throws(CSPPError) {
    try SizeLimits.check(file.count, limit)
    let text = unsafe file.bytes
    let object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
    fields = try CSPPFields(
      object, in: text, kind: "wallet", versions: 1...2, namespaceID: namespaceID)
    recordID = try fields.recordID?.identifier("record_id", in: text)
    if let place, let recordID, recordID != place { throw .contradictsPlace("record_id") }
    if let walletRecord = fields.walletRecord, let expected = place ?? recordID,
      walletRecord != expected
    {
      throw .contradictsPlace("wallet_id")
    }
    walletSalt = try object.required("wallet_salt", in: text)
      .hex("wallet_salt", in: text, count: 32, upperCase: true)
    nonce = try object.required("nonce", in: text)
      .hex("nonce", in: text, count: ChaCha20Poly1305.nonceSize, upperCase: true)
    ciphertext = try object.required("ciphertext", in: text)
      .base64("ciphertext", in: text, .standard)
    guard ciphertext.count >= ChaCha20Poly1305.tagSize else { throw .invalidField("ciphertext") }
  }

  /// Decrypts the entry and compares it with the envelope and its location.
  ///
  /// - Parameters:
  ///   - cipher: the namespace's keys.
  ///   - recordID: the record in the file's name; nil skips the comparison with the name, not the
  ///     one with the plain field.
  ///   - plaintext: receives the entry's bytes exactly as they were sealed.
  /// - Returns: the parsed entry.
  /// - Throws: ``CSPPError/authenticationFailed``, ``CSPPError/otherRecord``,
  ///   ``CSPPError/otherWalletID``, ``CSPPError/privateKeyInVersion1``, and the errors of
  ///   ``WalletEntry/init(parsing:)-(SecretBytes)``.
  public func open(
    with cipher: inout WalletCipher, recordID: RecordID?, into plaintext: inout SecretBytes
  ) throws(CSPPError) -> WalletEntry {
    try cipher.open(ciphertext, salt: walletSalt, nonce: nonce, into: &plaintext)
    let entry = try WalletEntry(parsing: plaintext)
    if let expected = recordID ?? self.recordID, entry.recordID != expected { throw .otherRecord }
    // Compared by digest, so that two spellings of one character do not count as equal.
    if let stated = fields.walletRecord, stated != entry.recordID { throw .otherWalletID }
    // The oldest envelopes state no version; the rule was introduced with the field.
    if fields.version == 1, entry.secretKind == .xprv { throw .privateKeyInVersion1 }
    return entry
  }

  /// Encrypts an entry under a fresh salt and nonce.
  ///
  /// - Parameters:
  ///   - plaintext: the entry's bytes, which are kept byte for byte.
  ///   - entry: the parsed entry, from ``WalletEntry/init(parsing:)-(SecretBytes)``.
  ///   - cipher: the namespace's keys.
  ///   - createdAt: Unix seconds.
  ///   - updatedAt: Unix seconds.
  /// - Returns: the file's bytes; version 2 only for an extended private key.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  public static func seal(
    _ plaintext: borrowing SecretBytes, entry: WalletEntry, with cipher: inout WalletCipher,
    createdAt: UInt64, updatedAt: UInt64
  ) throws(CSPPError) -> [UInt8] {
    let salt = Randomness.bytes(count: 32)
    let nonce = Randomness.bytes(count: ChaCha20Poly1305.nonceSize)
    let ciphertext = try cipher.seal(plaintext, salt: salt, nonce: nonce)
    let head = JSONText.object([
      ("version", entry.secretKind == .xprv ? "2" : "1"),
      ("kind", JSONText.quoted("wallet")),
      ("schema_version", "1"),
      ("namespace_id", JSONText.quoted(cipher.namespaceID.hex)),
      ("record_id", JSONText.quoted(entry.recordID.hex)),
      ("wallet_id", JSONText.quoted(entry.walletID)),
      ("created_at", String(createdAt)),
      ("updated_at", String(updatedAt)),
      ("wallet_salt", JSONText.quoted(Hex.string(salt))),
      ("nonce", JSONText.quoted(Hex.string(nonce))),
    ])
    var file = Array(head.utf8.dropLast())
    file += Array(",\"ciphertext\":\"".utf8)
    unsafe file += Base64.encode(ciphertext.span.bytes, .standard)
    file += Array("\"}".utf8)
    return file
  }
}

/// A namespace's wallet cipher, with working memory that a loop over many records reuses.
public struct WalletCipher: ~Copyable {
  private static let info = Array("cspp:v1:wallet".utf8)

  /// The namespace whose records it opens and seals.
  public let namespaceID: NamespaceID
  private let critical: SecretBytes
  private var key = SecretBytes(zeroed: 64)

  /// Derives the required keys from a master key.
  public init(_ masterKey: borrowing MasterKey) {
    namespaceID = masterKey.namespaceID
    critical = masterKey.criticalDataKey()
  }

  fileprivate mutating func open(
    _ ciphertext: [UInt8], salt: [UInt8], nonce: [UInt8], into plaintext: inout SecretBytes
  ) throws(CSPPError) {
    derive(salt)
    try AEAD.open(ciphertext, key: key, nonce: nonce, associatedData: [], into: &plaintext)
  }

  fileprivate mutating func seal(
    _ plaintext: borrowing SecretBytes, salt: [UInt8], nonce: [UInt8]
  ) throws(CSPPError) -> [UInt8] {
    derive(salt)
    return try plaintext.withBytes { (bytes) throws(CSPPError) in
      try AEAD.seal(bytes, key: key, nonce: nonce, associatedData: [])
    }
  }

  private mutating func derive(_ salt: [UInt8]) {
    // The keys are lent one at a time: `key` is written while `critical` is read.
    critical.withBytes { ikm in
      HKDFSHA256.deriveKey(ikm: ikm, salt: salt, info: Self.info, into: &key)
    }
  }
}

public import SecretMemory

/// What a person adds: encoded once, to the bytes that are sealed.
public struct NewWalletEntry: ~Copyable {
  /// Metadata that CSPP readers show and need.
  public struct Metadata: Equatable, Sendable {
    /// Name of the wallet.
    public var name: String
    /// `Bitcoin`, `Testnet`, `Testnet4` or `Signet`.
    public var network: String
    /// A color's name; see CSPP.
    public var color = "Blue"
    /// Whether the person has confirmed the backup of the words.
    public var verified = false
    /// Eight digits.
    public var masterFingerprint: String?
    /// `Hot`, `Cold`, `XpubOnly` or `WatchOnly`.
    public var walletType: String?
    /// `NativeSegwit`, `WrappedSegwit` or `Legacy`.
    public var addressType: String?
    /// Path of the account, for people: `m/84'/0'/0'`.
    public var derivationPath: String?

    /// Names a wallet.
    public init(name: String, network: String) {
      self.name = name
      self.network = network
    }
  }

  /// Labels as CSPP stores them.
  public struct Labels: ~Copyable {
    /// zstd of BIP-329 JSONL: whom a person pays is nobody else's business.
    fileprivate let compressed: SecretBytes
    /// Number of labels.
    fileprivate let count: Int
    /// SHA-256 of the JSONL.
    fileprivate let hash: Digest
    /// Size of the JSONL in bytes.
    fileprivate let uncompressedSize: Int

    /// Describes compressed labels.
    ///
    /// - Parameters:
    ///   - compressed: zstd of BIP-329 JSONL.
    ///   - count: number of labels.
    ///   - hash: SHA-256 of the JSONL.
    ///   - uncompressedSize: size of the JSONL in bytes.
    public init(
      compressed: consuming SecretBytes, count: Int, hash: Digest, uncompressedSize: Int
    ) {
      self.compressed = compressed
      self.count = count
      self.hash = hash
      self.uncompressedSize = uncompressedSize
    }
  }

  private let walletID: String
  private let kind: WalletEntry.SecretKind
  private let secret: SecretBytes
  private let metadata: Metadata
  /// Another program's metadata, kept as it is; empty for none.
  private let foreignMetadata: SecretBytes

  /// Labels; nil for none.
  public var labels: Labels?
  /// The extended public key; nil for none.
  public var xpub: String?
  /// Descriptors of receiving and change addresses; nil for none.
  public var descriptors: (external: String, internal: String)?
  /// Main or decoy.
  public var mode = WalletEntry.Mode.main

  /// Describes a wallet.
  ///
  /// - Parameters:
  ///   - walletID: its random ID.
  ///   - kind: what the secret is.
  ///   - secret: UTF-8 text, or a TAPSIGNER backup's bytes; not looked at for a
  ///     watch-only wallet.
  ///   - metadata: what readers show.
  public init(
    walletID: String, kind: WalletEntry.SecretKind, secret: consuming SecretBytes,
    metadata: Metadata
  ) {
    self.walletID = walletID
    self.kind = kind
    self.secret = secret
    self.metadata = metadata
    foreignMetadata = SecretBytes(zeroed: 0)
  }

  /// Describes a wallet with metadata that another program wrote.
  ///
  /// - Parameters:
  ///   - walletID: its ID.
  ///   - kind: what the secret is.
  ///   - secret: as in ``init(walletID:kind:secret:metadata:)``.
  ///   - metadataJSON: JSON, kept byte for byte.
  public init(
    walletID: String, kind: WalletEntry.SecretKind, secret: consuming SecretBytes,
    metadataJSON: consuming SecretBytes
  ) {
    self.walletID = walletID
    self.kind = kind
    self.secret = secret
    metadata = Metadata(name: "", network: "")
    foreignMetadata = metadataJSON
  }

  /// The entry's bytes.
  ///
  /// Its `content_revision_hash` is the SHA-256 of these bytes with an empty
  /// hash and without the mark.
  ///
  /// - Parameters:
  ///   - updatedAt: Unix seconds.
  ///   - mark: the operation that will hold the entry; nil leaves it to
  ///     ``WalletEntry``'s marking, when the operation is known.
  /// - Returns: JSON in guarded memory.
  /// - Throws: ``CSPPError/invalidField(_:)`` for an empty wallet ID,
  ///   ``CSPPError/labelsTooLarge``, and whatever reading the result refuses.
  public borrowing func encode(
    updatedAt: UInt64, mark: WalletEntry.Mark? = nil
  ) throws(CSPPError) -> SecretBytes {
    guard labelsSize <= SizeLimits.labels else { throw .labelsTooLarge }
    var head = SecretWriter()
    writeHead(into: &head)
    let tail = "\",\"updated_at\":\(updatedAt)"
    var hash = SHA256()
    head.withBytes { hash.update($0) }
    unsafe hash.update(Array((tail + "}").utf8).span.bytes)
    head.raw(Hex.string(hash.finalize()))
    head.raw(tail + (mark.map { ",\"keybackup\":\($0.json)" } ?? "") + "}")
    let entry = head.finish()
    _ = try WalletEntry(parsing: entry)
    return entry
  }

  /// Everything up to the opening quotation mark of the revision hash.
  private borrowing func writeHead(into writer: inout SecretWriter) {
    writer.raw("{\"wallet_id\":\(JSONText.quoted(walletID)),\"secret\":")
    writeSecret(into: &writer)
    writer.raw(",\"metadata\":")
    if foreignMetadata.count > 0 {
      foreignMetadata.withBytes { writer.raw($0) }
    } else {
      writer.raw(metadata.json(walletID: walletID, mode: mode))
    }
    writer.raw(",\"descriptors\":")
    if let descriptors {
      writer.raw("{\"external\":\(JSONText.quoted(descriptors.external)),")
      writer.raw("\"internal\":\(JSONText.quoted(descriptors.internal))}")
    } else {
      writer.raw("null")
    }
    writer.raw(",\"xpub\":\(xpub.map(JSONText.quoted) ?? "null")")
    writer.raw(",\"wallet_mode\":\"\(mode.rawValue)\",\"labels_zstd_jsonl\":")
    writeLabels(into: &writer)
    writer.raw(",\"content_revision_hash\":\"")
  }

  /// The value of `labels_zstd_jsonl`, and the three members after it.
  private borrowing func writeLabels(into writer: inout SecretWriter) {
    switch labels {
    case nil:
      writer.raw("null,\"labels_count\":0,\"labels_hash\":null")
      writer.raw(",\"labels_uncompressed_size\":null")
    case .some(let labels):
      writer.raw("\"")
      labels.compressed.withBytes { writer.base64($0) }
      writer.raw("\",\"labels_count\":\(labels.count),\"labels_hash\":\"\(labels.hash)\"")
      writer.raw(",\"labels_uncompressed_size\":\(labels.uncompressedSize)")
    }
  }

  private var labelsSize: Int {
    switch labels {
    case nil: 0
    case .some(let labels): labels.uncompressedSize
    }
  }

  private borrowing func writeSecret(into writer: inout SecretWriter) {
    switch kind {
    case .watchOnly:
      writer.raw("\"WatchOnly\"")
    case .tapSignerBackup:
      writer.raw("{\"TapSignerBackup\":")
      secret.withBytes { writer.numbers($0) }
      writer.raw("}")
    case .mnemonic, .xprv, .descriptor:
      writer.raw("{\"\(kind.rawValue)\":")
      secret.withBytes { writer.string($0) }
      writer.raw("}")
    }
  }
}

extension NewWalletEntry.Metadata {
  fileprivate func json(walletID: String, mode: WalletEntry.Mode) -> String {
    JSONText.object([
      ("id", JSONText.quoted(walletID)),
      ("name", JSONText.quoted(name)),
      ("color", JSONText.quoted(color)),
      ("verified", verified ? "true" : "false"),
      ("network", JSONText.quoted(network)),
      ("master_fingerprint", masterFingerprint.map(JSONText.quoted)),
      ("wallet_type", walletType.map(JSONText.quoted)),
      ("wallet_mode", JSONText.quoted(mode.rawValue)),
      ("address_type", addressType.map(JSONText.quoted)),
      ("derivation_path", derivationPath.map(JSONText.quoted)),
    ])
  }
}

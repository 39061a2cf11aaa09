public import SecretMemory

/// A new wallet entry, encoded once into the bytes that are sealed.
public struct NewWalletEntry: ~Copyable {
  /// Metadata that CSPP readers show and need.
  public struct Metadata: Equatable, Sendable {
    /// The name of the wallet.
    public var name: String
    /// `Bitcoin`, `Testnet`, `Testnet4` or `Signet`.
    public var network: String
    /// The name of a color; see CSPP.
    public var color = "Blue"
    /// Whether the user has confirmed the backup of the words.
    public var verified = false
    /// The fingerprint: eight digits.
    public var masterFingerprint: String?
    /// `Hot`, `Cold`, `XpubOnly` or `WatchOnly`.
    public var walletType: String?
    /// `NativeSegwit`, `WrappedSegwit` or `Legacy`.
    public var addressType: String?
    /// The path of the account, for people: `m/84'/0'/0'`.
    public var derivationPath: String?

    /// Creates metadata for a wallet.
    public init(name: String, network: String) {
      self.name = name
      self.network = network
    }
  }

  /// Labels as CSPP stores them.
  public struct Labels: ~Copyable {
    /// zstd of BIP-329 JSONL, in guarded memory: payments are private.
    fileprivate let compressed: SecretBytes
    /// The number of labels.
    fileprivate let count: Int
    /// SHA-256 of the JSONL.
    fileprivate let hash: Digest
    /// The size of the JSONL in bytes.
    fileprivate let uncompressedSize: Int

    /// Creates compressed labels.
    ///
    /// - Parameters:
    ///   - compressed: zstd of BIP-329 JSONL.
    ///   - count: the number of labels.
    ///   - hash: SHA-256 of the JSONL.
    ///   - uncompressedSize: the size of the JSONL in bytes.
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
  /// The metadata of another program, kept unchanged; empty for none.
  private let foreignMetadata: SecretBytes

  /// The labels; nil for none.
  public var labels: Labels?
  /// The extended public key; nil for none.
  public var xpub: String?
  /// The descriptors of receiving and change addresses; nil for none.
  public var descriptors: (external: String, internal: String)?
  /// The mode: main or decoy.
  public var mode = WalletEntry.Mode.main

  /// Creates an entry for a wallet.
  ///
  /// - Parameters:
  ///   - walletID: its random ID.
  ///   - kind: the kind of secret.
  ///   - secret: UTF-8 text, or a TAPSIGNER backup's bytes; ignored for a watch-only wallet.
  ///   - metadata: the metadata that readers show.
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

  /// Creates an entry with metadata that another program wrote.
  ///
  /// - Parameters:
  ///   - walletID: its ID.
  ///   - kind: the kind of secret.
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

  /// Encodes the entry.
  ///
  /// Its `content_revision_hash` is the SHA-256 of these bytes with an empty
  /// hash and without the mark.
  ///
  /// - Parameters:
  ///   - updatedAt: Unix seconds.
  ///   - mark: the operation that will hold the entry; nil leaves the mark to ``WalletEntry``'s
  ///     marking, once the operation is known.
  /// - Returns: JSON in guarded memory.
  /// - Throws: ``CSPPError/invalidField(_:)`` for an empty wallet ID, ``CSPPError/labelsTooLarge``,
  ///   and the errors of parsing the result.
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

  /// Writes everything up to the opening quotation mark of the revision hash.
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

  /// Writes the value of `labels_zstd_jsonl` and the three members after it.
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

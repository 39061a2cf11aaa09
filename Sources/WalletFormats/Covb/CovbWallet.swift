public import CSPP
public import SecretMemory

/// A wallet in the form of a `.covb` file.
public struct CovbWallet: ~Copyable {
  /// The kind of secret; a descriptor does not count as a secret here.
  public let kind: WalletEntry.SecretKind
  /// The wallet's ID, from its metadata.
  public let walletID: String
  /// The wallet's name, for people.
  public let name: String?
  /// The parts of an entry that the file cannot hold.
  public let losses: [Loss]

  /// The metadata's JSON, unchanged.
  let metadata: SecretBytes
  /// The secret: text, or the bytes of a TAPSIGNER backup; empty for none.
  let secret: SecretBytes
  let descriptors: (external: String, internal: String)?
  let xpub: String?
  let mode: WalletEntry.Mode
  /// The labels as JSON lines; empty for none.
  let labels: SecretBytes

  /// A part of an entry that is lost in the conversion to a file.
  public enum Loss: Equatable, Sendable {
    /// The secret is a public descriptor, which becomes a watch-only wallet's pair of descriptors.
    case descriptorBecomesPair
    /// The wallet is a decoy, but its metadata do not state that.
    case decoyMode
    /// The metadata lack a field that Cove needs, such as `color`.
    case missingMetadata(String)
  }

  // MARK: From a file

  init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    let object = try JSONObject(value, in: text, duplicates: .refusedOnLookup)
    let metadata = try object.required("metadata", in: text)
    let facts = try MetadataFacts(metadata, in: text)
    guard let id = facts.id else { throw .missingField("metadata.id") }
    let secret = try CovbSecret.read(object.required("secret", in: text), in: text)
    var pair: (external: String, internal: String)?
    if let value = try object.optional("descriptors", in: text) {
      let object = try JSONObject(value, in: text, duplicates: .refusedOnLookup)
      pair = (
        try object.required("external", in: text).text("descriptors", in: text),
        try object.required("internal", in: text).text("descriptors", in: text)
      )
    }
    let xpub = try object.optional("xpub", in: text)?.text("xpub", in: text)
    let labels = try object.optional("labels_jsonl", in: text)
    guard labels == nil || labels?.kind == .string else { throw .invalidField("labels_jsonl") }
    self.init(
      kind: secret.kind, walletID: id, name: facts.name, losses: [],
      metadata: SecretBytes(copying: text.extracting(metadata.fullRange)),
      secret: secret.bytes.copy(),
      descriptors: pair, xpub: xpub, mode: facts.mode ?? .main,
      labels: labels?.secret(in: text) ?? SecretBytes(zeroed: 0))
  }

  init(
    kind: WalletEntry.SecretKind, walletID: String, name: String?, losses: [Loss],
    metadata: consuming SecretBytes, secret: consuming SecretBytes,
    descriptors: (external: String, internal: String)?, xpub: String?, mode: WalletEntry.Mode,
    labels: consuming SecretBytes
  ) {
    self.kind = kind
    self.walletID = walletID
    self.name = name
    self.losses = losses
    self.metadata = metadata
    self.secret = secret
    self.descriptors = descriptors
    self.xpub = xpub
    self.mode = mode
    self.labels = labels
  }

  /// Checks that the words or the key are valid.
  func checkSecret() throws(CovbProblem) {
    do throws(WalletFormatError) {
      switch kind {
      case .mnemonic: _ = try Mnemonic(checking: secret)
      case .xprv: _ = try ExtendedKey(checking: secret, expecting: .privateKey)
      case .tapSignerBackup, .descriptor, .watchOnly: break
      }
    } catch {
      throw .secret(error)
    }
  }

  /// The wallet's entry, for a backup.
  ///
  /// - Parameters:
  ///   - updatedAt: Unix seconds.
  ///   - withLabels: whether to include the labels.
  ///   - leavingOutDamagedLabels: whether lines of the labels that are not BIP-329 records are left
  ///     out, instead of being an error.
  /// - Returns: the entry's bytes.
  /// - Throws: `content`; `labels` where they are not BIP-329 records.
  public borrowing func entry(
    updatedAt: UInt64, withLabels: Bool = true, leavingOutDamagedLabels: Bool = false
  ) throws(CovbProblem) -> SecretBytes {
    var entry = NewWalletEntry(
      walletID: walletID, kind: kind, secret: secret.copy(), metadataJSON: metadata.copy())
    entry.descriptors = descriptors
    entry.xpub = xpub
    entry.mode = mode
    if withLabels, labels.count > 0 {
      entry.labels = try entryLabels(leavingOutDamaged: leavingOutDamagedLabels)
    }
    do throws(CSPPError) {
      return try entry.encode(updatedAt: updatedAt)
    } catch {
      throw .content("\(error)")
    }
  }

  /// The labels as they are, also records of types that this version does not know.
  private borrowing func entryLabels(
    leavingOutDamaged: Bool
  ) throws(CovbProblem) -> NewWalletEntry.Labels? {
    do throws(WalletFormatError) {
      let file = try LabelFile(reading: labels)
      guard file.damaged.count == 0 || leavingOutDamaged else { throw .labelsCompression }
      let kept: WalletLabels
      if file.damaged.count == 0 {
        kept = try WalletLabels(keeping: labels)
      } else {
        kept = try WalletLabels(keeping: file.records)
      }
      guard let hash = Digest(hex: kept.hash) else { throw .labelsCompression }
      return NewWalletEntry.Labels(
        compressed: kept.compressed.copy(), count: kept.count, hash: hash,
        uncompressedSize: kept.uncompressedSize)
    } catch {
      if leavingOutDamaged { return nil }
      throw .labels
    }
  }
}

/// The secret in a file's wallet.
private struct CovbSecret: ~Copyable {
  let kind: WalletEntry.SecretKind
  let bytes: SecretBytes

  static func read(_ value: JSONValue, in text: RawSpan) throws(CSPPError) -> CovbSecret {
    guard value.kind == .object else {
      guard value.equals("None", in: text) else { throw .unknownSecretKind }
      return CovbSecret(kind: .watchOnly, bytes: SecretBytes(zeroed: 0))
    }
    let members = try JSONObject(value, in: text, duplicates: .refusedOnLookup).members
    guard members.count == 1 else { throw .invalidField("secret") }
    let (name, content) = (members[0].name, members[0].value)
    if name.equals("TapSignerBackup", in: text) {
      return CovbSecret(kind: .tapSignerBackup, bytes: try numbers(content, in: text))
    }
    let isWords = name.equals("Mnemonic", in: text)
    guard isWords || name.equals("Xprv", in: text) else { throw .unknownSecretKind }
    guard content.kind == .string else { throw .invalidField("secret") }
    return CovbSecret(kind: isWords ? .mnemonic : .xprv, bytes: content.secret(in: text))
  }

  /// Decodes bytes that JSON writes as an array of numbers.
  private static func numbers(
    _ value: JSONValue, in text: RawSpan
  ) throws(CSPPError) -> SecretBytes {
    var bytes = SecretBytes(zeroed: value.range.count / 2 + 1)
    var elements = try JSONElements(value, field: "secret")
    var count = 0
    while let element = try elements.next(in: text) {
      let byte = try element.integer("secret", in: text)
      guard byte <= 255 else { throw .invalidField("secret") }
      bytes.withMutableBytes { $0.set(count, UInt8(byte)) }
      count += 1
    }
    bytes.resize(to: count)
    return bytes
  }
}

/// The fields of a wallet's metadata.
struct MetadataFacts {
  var id: String?
  var name: String?
  var mode: WalletEntry.Mode?
  /// The missing fields that Cove needs.
  var missing: [String] = []

  init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    let object = try JSONObject(value, in: text, duplicates: .refusedOnLookup)
    id = try object.optional("id", in: text)?.text("metadata.id", in: text)
    if id?.isEmpty == true { id = nil }
    if let value = try object.value("name", in: text), value.kind == .string {
      name = value.string(in: text)
    }
    if let value = try object.value("wallet_mode", in: text), value.kind == .string {
      mode = WalletEntry.Mode(rawValue: value.string(in: text))
    }
    for field in ["name", "color", "verified", "network"] as [StaticString]
    where try object.optional(field, in: text) == nil {
      missing.append(field.description)
    }
  }
}

extension SecretBytes {
  /// The text of bytes that are not secret: public keys and their descriptors.
  var publicText: String {
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

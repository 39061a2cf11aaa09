public import SecretMemory

extension WalletEntry {
  /// Parses an entry.
  ///
  /// A field that may be absent may also be null. Otherwise the fields named by CSPP are parsed
  /// strictly. Unknown fields and all metadata are accepted.
  ///
  /// - Parameter plaintext: the entry's bytes.
  /// - Throws: every case of ``CSPPError`` about bytes and fields, ``CSPPError/unknownSecretKind``,
  ///   ``CSPPError/labelsTooLarge``.
  public init(parsing plaintext: borrowing SecretBytes) throws(CSPPError) {
    self = try plaintext.withBytes { (text) throws(CSPPError) in try WalletEntry(parsing: text) }
  }

  /// Parses an entry in guarded memory.
  public init(parsing text: RawSpan) throws(CSPPError) {
    try SizeLimits.check(text.byteCount, Int(Int32.max))
    let object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
    let walletValue = try object.required("wallet_id", in: text)
    walletID = try walletValue.text("wallet_id", in: text)
    guard !walletID.isEmpty else { throw .invalidField("wallet_id") }
    recordID = walletValue.record(in: text)
    (secretKind, secretValue) = try Self.secret(object.required("secret", in: text), in: text)
    metadataValue = try object.required("metadata", in: text)
    let modeValue = try object.required("wallet_mode", in: text)
    guard let mode = Mode.allCases.first(where: { modeValue.equals($0.staticName, in: text) })
    else { throw .invalidField("wallet_mode") }
    self.mode = mode
    let metadata = Metadata(metadataValue, in: text)
    (name, network, fingerprint) = (metadata.name, metadata.network, metadata.fingerprint)

    xpubValue = try object.optional("xpub", in: text)
    guard xpubValue == nil || xpubValue?.kind == .string else { throw .invalidField("xpub") }
    (externalValue, internalValue) = try Self.descriptors(
      object.optional("descriptors", in: text), in: text)

    labelsValue = try object.optional("labels_zstd_jsonl", in: text)
    if let labels = labelsValue {
      guard labels.kind == .string, !labels.hasEscapes,
        Base64.isValid(text.extracting(labels.range), .standard)
      else { throw .invalidField("labels_zstd_jsonl") }
    }
    labelsCount = try object.optional("labels_count", in: text)?.integer("labels_count", in: text)
    labelsHash = try object.optional("labels_hash", in: text)?.identifier("labels_hash", in: text)
    labelsUncompressedSize = try object.optional("labels_uncompressed_size", in: text)?
      .integer("labels_uncompressed_size", in: text)
    guard labelsUncompressedSize ?? 0 <= UInt64(SizeLimits.labels) else { throw .labelsTooLarge }

    let revision = try object.optional("content_revision_hash", in: text)
    guard revision == nil || revision?.kind == .string else {
      throw .invalidField("content_revision_hash")
    }
    revisionValue = revision
    updatedAt = try object.optional("updated_at", in: text)?.integer("updated_at", in: text)
    mark = try object.optional("keybackup", in: text).flatMap { Mark($0, in: text) }
  }

  private static func secret(
    _ value: JSONValue, in text: RawSpan
  ) throws(CSPPError) -> (SecretKind, JSONValue) {
    switch value.kind {
    case .string:
      guard value.equals("WatchOnly", in: text) else { throw .unknownSecretKind }
      return (.watchOnly, value)
    case .object:
      let members = try JSONObject(value, in: text, duplicates: .refusedOnLookup).members
      guard members.count == 1 else { throw .invalidField("secret") }
      let (name, content) = (members[0].name, members[0].value)
      guard
        let kind = SecretKind.allCases.first(where: { name.equals($0.staticName, in: text) }),
        kind != .watchOnly
      else { throw .unknownSecretKind }
      if kind == .tapSignerBackup {
        var elements = try JSONElements(content, field: "secret")
        while let element = try elements.next(in: text) {
          guard try element.integer("secret", in: text) <= 255 else {
            throw .invalidField("secret")
          }
        }
      } else if content.kind != .string {
        throw .invalidField("secret")
      }
      return (kind, content)
    default:
      throw .invalidField("secret")
    }
  }

  private static func descriptors(
    _ value: JSONValue?, in text: RawSpan
  ) throws(CSPPError) -> (JSONValue?, JSONValue?) {
    guard let value else { return (nil, nil) }
    guard value.kind == .object else { throw .invalidField("descriptors") }
    let object = try JSONObject(value, in: text, duplicates: .refusedOnLookup)
    let external = try object.required("external", in: text)
    let `internal` = try object.required("internal", in: text)
    guard external.kind == .string, `internal`.kind == .string else {
      throw .invalidField("descriptors")
    }
    return (external, `internal`)
  }
}

/// The metadata shown to people.
///
/// Metadata may be anything. A field of an unexpected type is omitted and never prevents a wallet
/// from being restored.
private struct Metadata {
  var name: String?
  var network: String?
  var fingerprint: String?

  init(_ value: JSONValue, in text: RawSpan) {
    guard let object = try? JSONObject(value, in: text, duplicates: .refusedOnLookup) else {
      return
    }
    func string(_ field: StaticString) -> String? {
      guard let found = try? object.value(field, in: text), found.kind == .string else {
        return nil
      }
      return found.string(in: text)
    }
    name = string("name")
    network = string("network")
    fingerprint = string("master_fingerprint")
  }
}

extension WalletEntry.Mark {
  /// Parses a mark; a malformed one counts as none, since a mark proves nothing.
  fileprivate init?(_ value: JSONValue, in text: RawSpan) {
    guard let object = try? JSONObject(value, in: text, duplicates: .refusedOnLookup),
      let writer: WriterID = try? object.value("writer_id", in: text)?
        .identifier("writer_id", in: text),
      let counter = try? object.value("counter", in: text)?.integer("counter", in: text)
    else { return nil }
    self.init(writerID: writer, counter: counter)
  }
}

extension WalletEntry.SecretKind {
  var staticName: StaticString {
    switch self {
    case .mnemonic: "Mnemonic"
    case .xprv: "Xprv"
    case .tapSignerBackup: "TapSignerBackup"
    case .descriptor: "Descriptor"
    case .watchOnly: "WatchOnly"
    }
  }
}

extension WalletEntry.Mode {
  var staticName: StaticString {
    switch self {
    case .main: "Main"
    case .decoy: "Decoy"
    }
  }
}

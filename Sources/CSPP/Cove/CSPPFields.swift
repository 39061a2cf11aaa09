/// The plain fields that both CSPP envelopes have.
///
/// They prove nothing. They are compared with the file's location before anything is decrypted;
/// afterwards only the decrypted contents count.
struct CSPPFields: Equatable, Sendable {
  /// The version; nil when absent, as in the oldest envelopes.
  let version: Int?
  let namespaceID: NamespaceID?
  /// The unparsed record ID; its meaning depends on the kind.
  let recordID: JSONValue?
  let walletID: String?
  /// The record ID of ``walletID``.
  let walletRecord: RecordID?
  let generation: UInt64?
  let createdAt: UInt64?
  let updatedAt: UInt64?
  let contentHash: String?

  /// Parses the fields; rejects other kinds and unknown versions.
  ///
  /// - Parameters:
  ///   - object: the envelope.
  ///   - text: its file.
  ///   - kind: the expected kind, if the envelope states one.
  ///   - versions: the known versions; an absent one means 1.
  ///   - place: the namespace of the file's folder, if known.
  /// - Throws: errors about fields, ``CSPPError/otherFormat``.
  init(
    _ object: JSONObject, in text: RawSpan, kind: StaticString, versions: ClosedRange<Int>,
    namespaceID place: NamespaceID?
  ) throws(CSPPError) {
    if let stated = try object.optional("kind", in: text), !stated.equals(kind, in: text) {
      throw .otherFormat
    }
    version = try Self.version(object, in: text, versions)
    if let schema = try object.optional("schema_version", in: text),
      try schema.integer("schema_version", in: text) != 1
    {
      throw .unsupportedVersion
    }
    namespaceID = try object.optional("namespace_id", in: text)?
      .identifier("namespace_id", in: text)
    if let place, let namespaceID, namespaceID != place { throw .contradictsPlace("namespace_id") }
    recordID = try object.optional("record_id", in: text)
    let walletValue = try object.optional("wallet_id", in: text)
    walletID = try walletValue?.text("wallet_id", in: text)
    walletRecord = walletValue?.record(in: text)
    generation = try object.optional("generation", in: text)?.integer("generation", in: text)
    createdAt = try object.optional("created_at", in: text)?.integer("created_at", in: text)
    updatedAt = try object.optional("updated_at", in: text)?.integer("updated_at", in: text)
    contentHash = try object.optional("content_hash", in: text)?.text("content_hash", in: text)
  }

  private static func version(
    _ object: JSONObject, in text: RawSpan, _ versions: ClosedRange<Int>
  ) throws(CSPPError) -> Int? {
    guard let value = try object.value("version", in: text) else { return nil }
    let version = try value.integer("version", in: text)
    guard let known = versions.first(where: { UInt64($0) == version }) else {
      throw .unsupportedVersion
    }
    return known
  }
}

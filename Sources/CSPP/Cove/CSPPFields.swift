/// The plain fields that CSPP's two envelopes share.
///
/// They prove nothing: they are compared with the place before anything is
/// decrypted, and what counts afterwards is what the ciphertext holds.
struct CSPPFields: Equatable, Sendable {
  /// Nil when absent: the oldest envelopes have none.
  let version: Int?
  let namespaceID: NamespaceID?
  /// Still in the text: its meaning depends on the kind.
  let recordID: JSONValue?
  let walletID: String?
  /// The record of ``walletID``.
  let walletRecord: RecordID?
  let generation: UInt64?
  let createdAt: UInt64?
  let updatedAt: UInt64?
  let contentHash: String?

  /// Reads the fields and refuses other kinds and unknown versions.
  ///
  /// - Parameters:
  ///   - object: the envelope.
  ///   - text: its file.
  ///   - kind: what it must be, when it says what it is.
  ///   - versions: those known here; an absent one means 1.
  ///   - place: the namespace where the file lies, if that is known.
  /// - Throws: what concerns fields, ``CSPPError/otherFormat``.
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

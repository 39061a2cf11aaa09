public import CSPP
public import LogState
public import SecretMemory

/// An opened operation: what the rules read of it, and where its bytes lie in its text.
///
/// The text stays in guarded memory. Ranges are those of hexadecimal digits in it.
public struct OperationText: Sendable {
  /// The operation as the rules read it.
  public let operation: OrdinaryOperation
  /// The writer's name for people.
  public let writerLabel: String
  /// The bytes of each version that it adds: a WalletEntry, or a `version` object.
  public let versions: [VersionName: Range<Int>]
  /// The master keys of the namespaces that it takes over, 32 bytes each.
  public let masterKeys: [NamespaceID: Range<Int>]
  /// The bytes of each key slot's file that it names, by the digest of its bytes.
  public let keyFiles: [Digest: Range<Int>]
  /// The bytes of each master-key envelope, by their digest.
  public let envelopes: [Digest: Range<Int>]
  /// The sealed bytes of each sensitive text.
  public let texts: [(topic: String, sealed: Range<Int>)]
  /// The names of changes that this program does not know.
  ///
  /// A newer one wrote them. They have no effect.
  public let unknown: Set<String>

  /// The version of an operation's text.
  static let version: UInt64 = 2

  /// Reads an operation's text.
  ///
  /// - Parameters:
  ///   - text: the plaintext.
  ///   - header: the header of its file.
  ///   - digest: the digest of its file.
  ///   - masterKey: the namespace's key, for sensitive texts.
  /// - Throws: errors about bytes and fields; ``CSPP/CSPPError/unsupportedVersion``.
  public init(
    parsing text: RawSpan, _ header: OperationHeader, _ digest: Digest,
    masterKey: borrowing MasterKey
  ) throws(CSPPError) {
    let object = try JSONObject(parsing: text, duplicates: .refused)
    let version = try object.required("version", in: text).integer("version", in: text)
    guard version == Self.version else { throw .unsupportedVersion }
    let at = try object.required("at", in: text).integer("at", in: text)
    writerLabel = try object.required("writer_label", in: text).text("writer_label", in: text)
    var seen: [OperationID] = []
    var elements = try JSONElements(object.required("seen", in: text), field: "seen")
    while let element = try elements.next(in: text) {
      seen.append(try OperationID(element, in: header.namespaceID, text))
    }
    var reader = ChangeReader(namespace: header.namespaceID, at: at)
    elements = try JSONElements(object.required("changes", in: text), field: "changes")
    while let element = try elements.next(in: text) {
      try reader.read(element, masterKey, in: text)
    }
    operation = OrdinaryOperation(
      in: header.namespaceID, by: header.writerID, header.counter, digest, after: header.previous,
      seen: seen, at: at, reader.changes)
    versions = reader.versions
    masterKeys = reader.masterKeys
    keyFiles = reader.keyFiles
    envelopes = reader.envelopes
    texts = reader.texts
    unknown = reader.unknown
  }
}

extension OperationFile {
  /// Decrypts and reads the operation in the file's own memory.
  ///
  /// - Parameters:
  ///   - bytes: the parsed file; afterwards the operation's text.
  ///   - masterKey: the namespace's key.
  /// - Returns: the operation.
  /// - Throws: ``CSPP/CSPPError/otherNamespace``, ``CSPP/CSPPError/authenticationFailed``, and errors
  ///   about fields.
  public func openText(
    inPlace bytes: inout SecretBytes, masterKey: borrowing MasterKey
  ) throws(CSPPError) -> OperationText {
    try decrypt(inPlace: &bytes, masterKey: masterKey)
    let (header, digest) = (header, digest)
    return try bytes.withBytes { (text) throws(CSPPError) in
      try OperationText(parsing: text, header, digest, masterKey: masterKey)
    }
  }
}

extension OperationID {
  /// Reads the name of an operation of this namespace, or of a silent writer.
  init(_ value: JSONValue, in namespace: NamespaceID, _ text: RawSpan) throws(CSPPError) {
    let object = try JSONObject(value, in: text, duplicates: .refused)
    let counter = try object.required("counter", in: text).integer("counter", in: text)
    guard counter > 0 else { throw .invalidField("counter") }
    let digest: Digest = try object.required("sha256", in: text).identifier("sha256", in: text)
    if let key = try object.value("signing_key", in: text) {
      let inbox: NamespaceID = try object.required("namespace_id", in: text)
        .identifier("namespace_id", in: text)
      self.init(.silent(inbox, try key.identifier("signing_key", in: text)), counter, digest)
    } else {
      let writer: WriterID = try object.required("writer_id", in: text)
        .identifier("writer_id", in: text)
      self.init(.ordinary(namespace, writer), counter, digest)
    }
  }

  /// The name as it is written.
  var json: String {
    let chain: [(String, String?)] =
      switch self.chain {
      case .ordinary(_, let writer): [("writer_id", JSONText.quoted(writer.hex))]
      case .silent(let namespace, let key):
        [
          ("namespace_id", JSONText.quoted(namespace.hex)),
          ("signing_key", JSONText.quoted(key.hex)),
        ]
      }
    return JSONText.object(
      chain + [("counter", String(counter)), ("sha256", JSONText.quoted(digest.hex))])
  }
}

/// The names of changes in a text.
enum ChangeKind: String {
  case put
  case filePut = "file-put"
  case end
  case drop
  case writerAdd = "writer-add"
  case writerRetire = "writer-retire"
  case refuse
  case begin
  case takenOverBy = "taken-over-by"
  case keyAdd = "key-add"
  case keyRemove = "key-remove"
  case keyLabel = "key-label"
  case envelope
  case sensitive
}

extension Rights {
  static let names: [(StaticString, Rights)] = [("files", .files), ("wallets", .wallets)]
}

/// Reads changes one after the other.
private struct ChangeReader {
  let namespace: NamespaceID
  let at: UInt64
  var changes: [Change] = []
  var versions: [VersionName: Range<Int>] = [:]
  var masterKeys: [NamespaceID: Range<Int>] = [:]
  var keyFiles: [Digest: Range<Int>] = [:]
  var envelopes: [Digest: Range<Int>] = [:]
  var texts: [(topic: String, sealed: Range<Int>)] = []
  var unknown: Set<String> = []

  init(namespace: NamespaceID, at: UInt64) {
    self.namespace = namespace
    self.at = at
  }

  /// Reads `{"kind": {...}}`.
  mutating func read(
    _ value: JSONValue, _ masterKey: borrowing MasterKey, in text: RawSpan
  ) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("changes") }
    let members = try JSONObject(value, in: text, duplicates: .refused).members
    guard members.count == 1 else { throw .invalidField("changes") }
    let name = members[0].name.string(in: text)
    guard let kind = ChangeKind(rawValue: name) else {
      unknown.insert(name)
      return
    }
    guard members[0].value.kind == .object else { throw .invalidField("changes") }
    let fields = try JSONObject(members[0].value, in: text, duplicates: .refused)
    try read(kind, fields, masterKey, in: text)
  }

  private mutating func read(
    _ kind: ChangeKind, _ fields: JSONObject, _ masterKey: borrowing MasterKey, in text: RawSpan
  ) throws(CSPPError) {
    switch kind {
    case .put: add(try fields.wallet(in: text))
    case .filePut: try readFile(fields, in: text)
    case .end: try readNames(fields, in: text) { .end($0) }
    case .drop: try readNames(fields, in: text) { .drop($0) }
    case .writerAdd, .writerRetire, .refuse: try readWriter(kind, fields, in: text)
    case .begin: try readBeginning(fields, in: text)
    case .takenOverBy:
      let namespace: NamespaceID = try fields.id("namespace_id", in: text)
      changes.append(.takenOver(by: namespace))
    case .keyAdd: try readKey(fields, in: text)
    case .keyRemove: changes.append(.removeSlot(try fields.id("slot", in: text)))
    case .keyLabel:
      let slot: KeyID = try fields.id("slot", in: text)
      changes.append(.labelSlot(slot, try fields.label(at, in: text)))
    case .envelope:
      let range = try fields.hexadecimal("file", in: text)
      let file = try text.decoded(range)
      let digest = Digest(of: file.span)
      envelopes[digest] = range
      changes.append(.envelope(digest))
    case .sensitive: try readText(fields, masterKey, in: text)
    }
  }

  private mutating func readNames(
    _ fields: JSONObject, in text: RawSpan, _ change: (VersionName) -> Change
  ) throws(CSPPError) {
    for name in try fields.digests("names", in: text) { changes.append(change(VersionName(name))) }
  }

  private mutating func readFile(_ fields: JSONObject, in text: RawSpan) throws(CSPPError) {
    let copied: Digest? = try fields.optionalID("of", in: text)
    let author: SigningKey? = try fields.optionalID("by", in: text)
    add(
      try fields.fileVersion(
        by: author, copied: copied.map { VersionName($0) }, in: text))
  }

  private mutating func readWriter(
    _ kind: ChangeKind, _ fields: JSONObject, in text: RawSpan
  ) throws(CSPPError) {
    guard let key: SigningKey = try fields.optionalID("signing_key", in: text) else {
      guard kind == .refuse else { throw .missingField("signing_key") }
      let namespace: NamespaceID = try fields.id("namespace_id", in: text)
      changes.append(.refuse(.namespace(namespace)))
      return
    }
    switch kind {
    case .writerRetire: changes.append(.retireWriter(key))
    case .refuse: changes.append(.refuse(.key(key)))
    default:
      let writer: WriterID = try fields.id("writer_id", in: text)
      let rights = try fields.rights(in: text)
      let label = try fields.label(at, in: text)
      changes.append(.addWriter(key, id: writer, rights: rights, label: label))
    }
  }

  private mutating func readBeginning(
    _ fields: JSONObject, in text: RawSpan
  ) throws(CSPPError) {
    let taken = try fields.takenOver(in: text)
    for (id, range) in taken { masterKeys[id] = range }
    let operations = try fields.operations(of: namespace, in: text)
    changes.append(.begin(takesOver: Set(taken.keys), operations: operations))
  }

  private mutating func readKey(_ fields: JSONObject, in text: RawSpan) throws(CSPPError) {
    let range = try fields.hexadecimal("file", in: text)
    let key: KeyID = try fields.id("key_id", in: text)
    let slot: KeyID = try fields.id("slot", in: text)
    let bytes = try text.decoded(range)
    let file = try SlotFile(parsing: bytes, key: key, in: namespace)
    keyFiles[file.digest] = range
    changes.append(.addFile(file, slot: slot))
  }

  private mutating func readText(
    _ fields: JSONObject, _ masterKey: borrowing MasterKey, in text: RawSpan
  ) throws(CSPPError) {
    let topic = try fields.required("topic", in: text).text("topic", in: text)
    let range = try fields.hexadecimal("sealed", in: text)
    let sealed = try text.decoded(range)
    let opened = try SensitiveData.open(sealed, topic: topic, masterKey: masterKey)
    texts.append((topic, range))
    changes.append(.text(SensitiveText.digest(topic, opened)))
  }

  private mutating func add(_ added: (version: ItemVersion, range: Range<Int>)) {
    versions[added.version.name] = added.range
    changes.append(.add(added.version))
  }
}

public import CSPP
public import LogState
public import SecretMemory

/// Collects the changes of one operation in guarded memory, and seals them.
public struct OperationDraft: ~Copyable {
  private var writer: ChangeWriter

  /// The number of changes so far.
  public var count: Int { writer.count }

  /// Starts an operation without changes.
  ///
  /// - Parameters:
  ///   - at: Unix seconds, at most 2^63 - 1.
  ///   - writerLabel: this computer's name for people.
  ///   - seen: the last operations of the chains that are here.
  ///   - size: the expected size of the file in bytes.
  public init(at: UInt64, writerLabel: String, seen: [OperationID], size: Int = 4096) {
    let names = seen.map(\.json).joined(separator: ",")
    writer = ChangeWriter(
      "\"version\":\(OperationText.version),\"at\":\(min(at, UInt64(Int64.max)))"
        + ",\"writer_label\":\(JSONText.quoted(writerLabel)),\"seen\":[\(names)]", size: size)
  }

  /// The size in bytes of the file that ``seal(header:masterKey:limit:)`` would make now, at most
  /// 768 too large.
  public var fileSize: Int {
    Base64.encodedSize(writer.paddedSize + ChaCha20Poly1305.tagSize, .standard) + 768
  }

  /// Adds a version of a wallet.
  ///
  /// - Parameters:
  ///   - record: the wallet's record.
  ///   - entry: its marked WalletEntry.
  public mutating func put(_ record: RecordID, _ entry: RawSpan) { writer.put(record, entry) }

  /// Adds a version of a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - version: the bytes of its `version` object.
  ///   - author: the silent writer that made it, if one did.
  ///   - copied: the version that it is a copy of, by a person's choice.
  public mutating func put(
    _ file: FileID, _ version: RawSpan, by author: SigningKey? = nil,
    copying copied: VersionName? = nil
  ) {
    var rest = author.map { ",\"by\":\"\($0)\"" } ?? ""
    rest += copied.map { ",\"of\":\"\($0.digest)\"" } ?? ""
    writer.put(file, version, rest)
  }

  /// Ends versions.
  public mutating func end(_ names: some Sequence<VersionName>) { list(.end, names) }

  /// Ends versions whose objects may go.
  public mutating func drop(_ names: some Sequence<VersionName>) { list(.drop, names) }

  /// Authorises a silent writer.
  ///
  /// - Throws: ``CSPP/CSPPError/invalidField(_:)`` for a signing key that no signer can have.
  public mutating func addWriter(
    _ key: SigningKey, _ id: WriterID, _ rights: Rights, _ label: Label
  ) throws(CSPPError) {
    guard key.isValid else { throw .invalidField("signing_key") }
    let may = Rights.names.filter { rights.contains($0.1) }.map { "\"\($0.0)\"" }
    writer.add(
      .writerAdd,
      "\"writer_id\":\"\(id)\",\"signing_key\":\"\(key)\",\(label.members)"
        + ",\"may\":[\(may.joined(separator: ","))]")
  }

  /// Retires a silent writer for good.
  public mutating func retireWriter(_ key: SigningKey) {
    writer.add(.writerRetire, "\"signing_key\":\"\(key)\"")
  }

  /// Refuses what an earlier namespace says, or a key that does not count.
  public mutating func refuse(_ refusal: Refusal) {
    switch refusal {
    case .key(let key): writer.add(.refuse, "\"signing_key\":\"\(key)\"")
    case .namespace(let id): writer.add(.refuse, "\"namespace_id\":\"\(id)\"")
    }
  }

  /// Begins the namespace.
  ///
  /// - Parameters:
  ///   - keys: the keys of the namespaces that it takes over; none of a new backup.
  ///   - operations: the operations before it that belong to it.
  public mutating func begin(
    takingOver keys: borrowing MasterKeys, after operations: some Sequence<OperationID>
  ) {
    writer.start(.begin, "\"takes_over\":[")
    for (number, id) in keys.namespaces.enumerated() {
      writer.raw((number == 0 ? "" : ",") + "{\"namespace_id\":\"\(id)\",\"master_key\":\"")
      keys.withKey(of: id) { key in key.withBytes { writer.hex($0) } }
      writer.raw("\"}")
    }
    let names = operations.map(\.json).joined(separator: ",")
    writer.raw("],\"operations\":[\(names)]}}")
  }

  /// Leaves a hint that another namespace took this one over.
  public mutating func takenOver(by namespace: NamespaceID) {
    writer.add(.takenOverBy, "\"namespace_id\":\"\(namespace)\"")
  }

  /// Adds the file of a key slot.
  public mutating func addKey(_ key: KeyID, slot: KeyID, file: Span<UInt8>) {
    writer.hex(.keyAdd, "\"key_id\":\"\(key)\",\"slot\":\"\(slot)\",\"file\":\"", unsafe file.bytes)
  }

  /// Removes a key slot, in all namespaces.
  public mutating func removeSlot(_ slot: KeyID) {
    writer.add(.keyRemove, "\"slot\":\"\(slot)\"")
  }

  /// Names a key slot.
  public mutating func labelSlot(_ slot: KeyID, _ label: Label) {
    writer.add(.keyLabel, "\"slot\":\"\(slot)\",\(label.members)")
  }

  /// Adds the bytes of the master-key envelope.
  public mutating func envelope(_ file: Span<UInt8>) {
    writer.hex(.envelope, "\"file\":\"", unsafe file.bytes)
  }

  /// Adds a sensitive text, sealed with the namespace's key.
  ///
  /// - Throws: nothing that a caller can cause.
  public mutating func sensitive(
    _ text: borrowing SecretBytes, topic: String, _ masterKey: borrowing MasterKey
  ) throws(CSPPError) {
    let sealed = try SensitiveData.seal(text, topic: topic, masterKey: masterKey)
    writer.hex(
      .sensitive, "\"topic\":\(JSONText.quoted(topic)),\"sealed\":\"", unsafe sealed.span.bytes)
  }

  /// Seals the operation.
  ///
  /// - Parameters:
  ///   - header: the writer and the operation before it.
  ///   - masterKey: the namespace's key.
  ///   - limit: the largest file in bytes.
  /// - Returns: the file.
  /// - Throws: ``CSPP/CSPPError/otherNamespace``, ``CSPP/CSPPError/tooLarge(limit:)``.
  public consuming func seal(
    header: OperationHeader, masterKey: borrowing MasterKey,
    limit: Int = SizeLimits.standard.operation
  ) throws(CSPPError) -> SealedOperation {
    try SealedOperation.seal(
      writer.finish(), header: header, masterKey: masterKey, limit: limit)
  }

  private mutating func list(_ kind: ChangeKind, _ names: some Sequence<VersionName>) {
    let texts = names.map { "\"\($0.digest)\"" }
    if texts.isEmpty { return }
    writer.add(kind, "\"names\":[\(texts.joined(separator: ","))]")
  }
}

extension Label {
  fileprivate var members: String { "\"label\":\(JSONText.quoted(text)),\"at\":\(at)" }
}

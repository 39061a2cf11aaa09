internal import CSPP
internal import LogState
internal import SecretMemory

/// The identity of a sensitive text, which is sealed again in every namespace.
enum SensitiveText {
  static func digest(_ topic: String, _ text: borrowing SecretBytes) -> Digest {
    var writer = SecretWriter(capacity: text.count + topic.utf8.count + 1)
    writer.raw(topic + "\0")
    text.withBytes { writer.raw($0) }
    return writer.withBytes { Digest(of: $0) }
  }
}

/// The fields of changes, in an operation of either kind.
extension JSONObject {
  func id<ID: HexIdentifier>(_ name: StaticString, in text: RawSpan) throws(CSPPError) -> ID {
    try required(name, in: text).identifier(name, in: text)
  }

  func optionalID<ID: HexIdentifier>(
    _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> ID? {
    guard let value = try value(name, in: text) else { return nil }
    return try value.identifier(name, in: text)
  }

  func digests(_ name: StaticString, in text: RawSpan) throws(CSPPError) -> [Digest] {
    var elements = try JSONElements(required(name, in: text), field: name)
    var digests: [Digest] = []
    while let element = try elements.next(in: text) {
      digests.append(try element.identifier(name, in: text))
    }
    return digests
  }

  /// The place of bytes in hexadecimal.
  func hexadecimal(_ name: StaticString, in text: RawSpan) throws(CSPPError) -> Range<Int> {
    let value = try required(name, in: text)
    guard value.isPlain, Hex.isValid(text.extracting(value.range)) else {
      throw .invalidField(name.description)
    }
    return value.range
  }

  func wallet(in text: RawSpan) throws(CSPPError) -> (ItemVersion, Range<Int>) {
    let range = try hexadecimal("entry", in: text)
    let entry = try text.secret(range)
    let version = try entry.withBytes { (entry) throws(CSPPError) in try ItemVersion(of: entry) }
    guard version.item == .wallet(try id("record_id", in: text)) else { throw .otherRecord }
    return (version, range)
  }

  func fileVersion(
    by author: SigningKey?, copied: VersionName?, in text: RawSpan
  ) throws(CSPPError) -> (ItemVersion, Range<Int>) {
    let range = try hexadecimal("version", in: text)
    let bytes = try text.secret(range)
    let file: FileID = try id("file_id", in: text)
    let version = try bytes.withBytes { (bytes) throws(CSPPError) in
      ItemVersion(
        file: file, bytes: Digest(of: bytes), contents: try VersionText(parsing: bytes).contents,
        by: author, copied: copied)
    }
    return (version, range)
  }

  func rights(in text: RawSpan) throws(CSPPError) -> Rights {
    var elements = try JSONElements(required("may", in: text), field: "may")
    var rights: Rights = []
    while let element = try elements.next(in: text) {
      // What a newer program knows permits nothing to this one.
      for (name, right) in Rights.names where element.equals(name, in: text) {
        rights.insert(right)
      }
    }
    return rights
  }

  /// A label, with the time of the operation that gave it first.
  func label(_ time: UInt64, in text: RawSpan) throws(CSPPError) -> Label {
    let label = try required("label", in: text).text("label", in: text)
    guard let stated = try value("at", in: text) else { return Label(label, at: time) }
    return Label(label, at: try stated.integer("at", in: text))
  }

  /// The namespaces that are taken over, with the places of their master keys.
  func takenOver(in text: RawSpan) throws(CSPPError) -> [NamespaceID: Range<Int>] {
    var elements = try JSONElements(required("takes_over", in: text), field: "takes_over")
    var taken: [NamespaceID: Range<Int>] = [:]
    while let element = try elements.next(in: text) {
      let object = try JSONObject(element, in: text, duplicates: .refused)
      let range = try object.hexadecimal("master_key", in: text)
      // An ID that does not derive from the key is no claim (rule 2).
      let key = try MasterKey(text.secret(range))
      if try object.id("namespace_id", in: text) == key.namespaceID {
        taken[key.namespaceID] = range
      }
    }
    return taken
  }

  func operations(
    of namespace: NamespaceID, in text: RawSpan
  ) throws(CSPPError) -> Set<OperationID> {
    var elements = try JSONElements(required("operations", in: text), field: "operations")
    var names: Set<OperationID> = []
    while let element = try elements.next(in: text) {
      names.insert(try OperationID(element, in: namespace, text))
    }
    return names
  }
}

extension JSONValue {
  /// Whether it is a string without escapes, so that its bytes can be read where they lie.
  var isPlain: Bool { kind == .string && !hasEscapes }
}

extension RawSpan {
  /// Bytes that are given in hexadecimal and are no secret.
  func decoded(_ range: Range<Int>) throws(CSPPError) -> [UInt8] {
    guard let bytes = Hex.decode(extracting(range), upperCase: false) else {
      throw .invalidField("changes")
    }
    return bytes
  }

  /// Bytes that are given in hexadecimal, in guarded memory.
  func secret(_ range: Range<Int>) throws(CSPPError) -> SecretBytes {
    var bytes = SecretBytes(zeroed: range.count / 2)
    guard Hex.decode(extracting(range), into: &bytes) else { throw .invalidField("changes") }
    return bytes
  }
}

internal import SecretMemory

extension Operation {
  init(_ text: RawSpan) throws(CSPPError) {
    try SizeLimits.check(text.byteCount, Int(Int32.max))
    let object = try JSONObject(parsing: text, duplicates: .refused)
    at = try object.required("at", in: text).integer("at", in: text)
    writerLabel = try object.required("writer_label", in: text).text("writer_label", in: text)
    seen = try Seen.list(object.required("seen", in: text), "seen", in: text)
    let list = try Change.list(object.required("changes", in: text), .ordinary, in: text)
    do throws(CSPPError) {
      let sealed = try object.optional("seen_sealed", in: text)
      seenSealed =
        try sealed.map { (list) throws(CSPPError) in
          try SealedPiece.list(list, in: text)
        } ?? []
      changes = list
    } catch {
      seenSealed = []
      changes = list + [.unknown("seen_sealed")]
    }
  }
}

extension Operation.Seen {
  static func list(
    _ value: JSONValue, _ field: StaticString, in text: RawSpan
  ) throws(CSPPError) -> [Self] {
    var elements = try JSONElements(value, field: field)
    var list: [Self] = []
    while let element = try elements.next(in: text) { list.append(try Self(element, in: text)) }
    return list
  }

  init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("seen") }
    let object = try JSONObject(value, in: text, duplicates: .refused)
    writerID = try object.required("writer_id", in: text).identifier("writer_id", in: text)
    counter = try object.required("counter", in: text).integer("counter", in: text)
    guard counter > 0 else { throw .invalidField("counter") }
    digest = try object.required("sha256", in: text).identifier("sha256", in: text)
  }
}

extension Operation.SealedPiece {
  static func list(_ value: JSONValue, in text: RawSpan) throws(CSPPError) -> [Self] {
    var elements = try JSONElements(value, field: "seen_sealed")
    var list: [Self] = []
    while let element = try elements.next(in: text) { list.append(try Self(element, in: text)) }
    return list
  }

  private init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    end = try Operation.Seen(value, in: text)
    let object = try JSONObject(value, in: text, duplicates: .refused)
    // Without it, the piece is its end alone.
    let stated = try object.optional("first", in: text)
    first =
      try stated.map { (value) throws(CSPPError) in try value.integer("first", in: text) }
      ?? end.counter
    guard (1...end.counter).contains(first) else { throw .invalidField("first") }
  }
}

extension Operation.Payload {
  init(
    _ object: JSONObject, _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) {
    value = try object.required(name, in: text)
    guard value.kind == .string, !value.hasEscapes, value.range.count % 2 == 0 else {
      throw .invalidField(name.description)
    }
  }
}

extension Operation.Change {
  /// The operation that holds a list of changes, which decides what an error in one means.
  enum Holder {
    /// Version 0.1 reads it, and does not know the kinds that came later. So an error in one of
    /// those makes the change unknown, as a newer program's.
    case ordinary
    /// It is refused with one change that may count and has an error. Changes of other kinds are
    /// not parsed: they are unknown.
    case sealed
  }

  static func list(
    _ value: JSONValue, _ holder: Holder, in text: RawSpan
  ) throws(CSPPError) -> [Self] {
    var elements = try JSONElements(value, field: "changes")
    var changes: [Self] = []
    while let element = try elements.next(in: text) {
      changes.append(try Self(element, holder, in: text))
    }
    return changes
  }

  /// Parses `{"kind": {...}}`.
  private init(_ value: JSONValue, _ holder: Holder, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("changes") }
    let members = try JSONObject(value, in: text, duplicates: .refused).members
    guard members.count == 1 else { throw .invalidField("changes") }
    let kind = members[0].name.string(in: text)
    guard let known = Kind(rawValue: kind) else {
      self = .unknown(kind)
      return
    }
    switch holder {
    case .ordinary:
      do throws(CSPPError) {
        self = try Self(known, members[0].value, in: text)
      } catch {
        guard known.isNewer(members[0].value, in: text) else { throw error }
        self = .unknown(kind)
      }
    case .sealed:
      let isPossible = [.put, .filePut, .fileRemove].contains(known)
      self = isPossible ? try Self(known, members[0].value, in: text) : .unknown(kind)
      if case .put(_, let entry) = self, !Hex.isValid(text.extracting(entry.value.range)) {
        throw .invalidField("entry")
      }
    }
  }

  /// Parses the fields of a change.
  private init(_ kind: Kind, _ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("changes") }
    let object = try JSONObject(value, in: text, duplicates: .refused)
    func id<ID: HexIdentifier>(_ name: StaticString) throws(CSPPError) -> ID {
      try object.required(name, in: text).identifier(name, in: text)
    }
    func digests(_ name: StaticString) throws(CSPPError) -> [Digest] {
      try FileChange.digests(object, name, in: text)
    }
    switch kind {
    case .put: self = .put(try id("record_id"), entry: try .init(object, "entry", in: text))
    case .remove: self = .remove(try id("record_id"))
    case .keyAdd: self = .keyAdd(try id("key_id"), file: try .init(object, "file", in: text))
    case .keyLeft:
      self = .keyLeft(
        try id("key_id"), try id("namespace_id"), file: try .init(object, "file", in: text))
    case .keyRemove: self = .keyRemove(try id("key_id"))
    case .keyLabel:
      let label = try object.required("label", in: text).text("label", in: text)
      self = .keyLabel(try id("key_id"), label: label)
    case .envelope: self = .envelope(file: try .init(object, "file", in: text))
    case .from:
      self = .from(
        try id("namespace_id"), masterKey: try .init(object, "master_key", in: text),
        ends: try Self.ends(object.optional("ends", in: text), in: text))
    case .moved:
      let boxes = try Self.boxes(object.required("boxes", in: text), in: text)
      let last = try Operation.Seen(object.required("last", in: text), in: text)
      self = .moved(try id("namespace_id"), boxes: boxes, last: last)
    case .sensitive:
      let topic = try object.required("topic", in: text).text("topic", in: text)
      self = .sensitive(topic: topic, sealed: try .init(object, "sealed", in: text))
    case .writerRetire:
      let key = try object.optional("signing_key", in: text)
      if let key {
        self = .silentWriterRetire(
          try id("writer_id"), try key.identifier("signing_key", in: text))
      } else {
        self = .writerRetire(try id("writer_id"))
      }
    case .writerAdd: self = .writerAdd(try SilentWriter(object, in: text))
    case .filePut: self = .file(.put(try FilePut(object, in: text)))
    case .fileSettle: self = .file(.settle(try id("file_id"), replaces: try digests("replaces")))
    case .fileRemove: self = .file(.remove(try id("file_id"), replaces: try digests("replaces")))
    case .fileDrop: self = .file(.drop(try id("file_id"), versions: try digests("versions")))
    }
  }

  private static func ends(
    _ value: JSONValue?, in text: RawSpan
  ) throws(CSPPError) -> [Operation.Seen]? {
    guard let value else { return nil }
    return try Operation.Seen.list(value, "ends", in: text)
  }

  private static func boxes(
    _ value: JSONValue, in text: RawSpan
  ) throws(CSPPError) -> [Operation.Box] {
    var elements = try JSONElements(value, field: "boxes")
    var boxes: [Operation.Box] = []
    while let element = try elements.next(in: text) {
      guard element.kind == .object else { throw .invalidField("boxes") }
      let object = try JSONObject(element, in: text, duplicates: .refused)
      boxes.append(
        Operation.Box(
          keyID: try object.required("key_id", in: text).identifier("key_id", in: text),
          box: try object.required("box", in: text).hex("box", in: text)))
    }
    return boxes
  }

  /// The names of changes in the text.
  enum Kind: String {
    case put
    case remove
    case keyAdd = "key-add"
    case keyLeft = "key-left"
    case keyRemove = "key-remove"
    case keyLabel = "key-label"
    case envelope
    case from
    case moved
    case writerRetire = "writer-retire"
    case sensitive
    case writerAdd = "writer-add"
    case filePut = "file-put"
    case fileSettle = "file-settle"
    case fileRemove = "file-remove"
    case fileDrop = "file-drop"

    /// Whether version 0.1 reads an operation with such a change, whatever its fields hold.
    ///
    /// It knows `writer-retire`, but of its fields only the writer ID.
    func isNewer(_ fields: JSONValue, in text: RawSpan) -> Bool {
      switch self {
      case .writerAdd, .filePut, .fileSettle, .fileRemove, .fileDrop: return true
      case .writerRetire:
        let writer: WriterID? = try? JSONObject(fields, in: text, duplicates: .refused)
          .required("writer_id", in: text).identifier("writer_id", in: text)
        return writer != nil
      default: return false
      }
    }
  }
}

extension Operation {
  init(_ text: RawSpan) throws(CSPPError) {
    try SizeLimits.check(text.byteCount, Int(Int32.max))
    let object = try JSONObject(parsing: text, duplicates: .refused)
    at = try object.required("at", in: text).integer("at", in: text)
    writerLabel = try object.required("writer_label", in: text).text("writer_label", in: text)
    var elements = try JSONElements(object.required("seen", in: text), field: "seen")
    var seen: [Seen] = []
    while let element = try elements.next(in: text) { seen.append(try Seen(element, in: text)) }
    self.seen = seen
    elements = try JSONElements(object.required("changes", in: text), field: "changes")
    var changes: [Change] = []
    while let element = try elements.next(in: text) {
      changes.append(try Change(element, in: text))
    }
    self.changes = changes
  }
}

extension Operation.Seen {
  fileprivate init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("seen") }
    let object = try JSONObject(value, in: text, duplicates: .refused)
    writerID = try object.required("writer_id", in: text).identifier("writer_id", in: text)
    counter = try object.required("counter", in: text).integer("counter", in: text)
    guard counter > 0 else { throw .invalidField("counter") }
    digest = try object.required("sha256", in: text).identifier("sha256", in: text)
  }
}

extension Operation.Payload {
  fileprivate init(
    _ object: JSONObject, _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) {
    value = try object.required(name, in: text)
    guard value.kind == .string, !value.hasEscapes, value.range.count % 2 == 0 else {
      throw .invalidField(name.description)
    }
  }
}

extension Operation.Change {
  /// Parses `{"kind": {...}}`.
  fileprivate init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("changes") }
    let members = try JSONObject(value, in: text, duplicates: .refused).members
    guard members.count == 1 else { throw .invalidField("changes") }
    let kind = members[0].name.string(in: text)
    guard let known = Kind(rawValue: kind) else {
      self = .unknown(kind)
      return
    }
    guard members[0].value.kind == .object else { throw .invalidField("changes") }
    let object = try JSONObject(members[0].value, in: text, duplicates: .refused)
    func id<ID: HexIdentifier>(_ name: StaticString) throws(CSPPError) -> ID {
      try object.required(name, in: text).identifier(name, in: text)
    }
    switch known {
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
    case .writerRetire: self = .writerRetire(try id("writer_id"))
    }
  }

  private static func ends(
    _ value: JSONValue?, in text: RawSpan
  ) throws(CSPPError) -> [Operation.Seen]? {
    guard let value else { return nil }
    var elements = try JSONElements(value, field: "ends")
    var ends: [Operation.Seen] = []
    while let element = try elements.next(in: text) {
      ends.append(try Operation.Seen(element, in: text))
    }
    return ends
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
  }
}

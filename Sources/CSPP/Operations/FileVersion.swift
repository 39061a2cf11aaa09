public import SecretMemory

/// One version of a file, as a parsed operation describes it: a view of the operation's text.
public struct FileVersion: Equatable, Sendable {
  /// The place of a version's contents.
  public enum Place: Equatable, Sendable {
    /// An object of this name, sealed with the key in the payload.
    case object(Digest, key: Operation.Payload)
    /// The operation itself.
    case inline(InlineContents)
  }

  /// Contents in base64 inside the operation's text; see
  /// ``FileVersion/contents(_:in:into:)``.
  public struct InlineContents: Equatable, Sendable {
    let value: JSONValue
  }

  /// The place of the contents.
  public let place: Place
  /// The size of the contents in bytes, at most ``SizeLimits/file``.
  public let size: UInt64
  /// The time of the file's last change in Unix seconds, a claim of its writer.
  public let modified: UInt64
  /// The file's permission bits, 0 to 0o7777.
  public let mode: UInt16
  /// The digest of the contents.
  public let content: Digest

  /// Decodes the key of the version's object.
  ///
  /// - Parameters:
  ///   - payload: from ``place``.
  ///   - plaintext: the text from which the operation was parsed.
  /// - Returns: 32 bytes.
  /// - Throws: ``CSPPError/invalidField(_:)`` unless they are lower-case hexadecimal digits.
  public static func key(
    _ payload: Operation.Payload, in plaintext: borrowing SecretBytes
  ) throws(CSPPError) -> SecretBytes {
    var key = SecretBytes(zeroed: 32)
    try Operation.decode(payload, in: plaintext, into: &key)
    return key
  }

  /// Decodes contents that lie in the operation, and compares them with ``size`` and ``content``.
  ///
  /// - Parameters:
  ///   - inline: from ``place``.
  ///   - plaintext: the text from which the operation was parsed.
  ///   - bytes: receives the contents, at most ``SizeLimits/inlineFile`` bytes; empty after an
  ///     error.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  public func contents(
    _ inline: InlineContents, in plaintext: borrowing SecretBytes, into bytes: inout SecretBytes
  ) throws(CSPPError) {
    let valid = plaintext.withBytes { text in
      Base64.decode(text.extracting(inline.value.range), .standard, into: &bytes)
    }
    let found: Digest? =
      valid && bytes.count == Int(size) ? bytes.withBytes { Digest(of: $0) } : nil
    if found != content {
      bytes.resize(to: 0)
      throw .invalidField("inline")
    }
  }
}

extension FileVersion {
  /// Starts to decrypt the version's object.
  ///
  /// - Parameters:
  ///   - name: from ``place``.
  ///   - payload: its key, from ``place``.
  ///   - plaintext: the text from which the operation was parsed.
  /// - Returns: an opener for the object's bytes.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  public func opener(
    _ name: Digest, key payload: Operation.Payload, in plaintext: borrowing SecretBytes
  ) throws(CSPPError) -> ObjectOpener {
    try ObjectOpener(
      name: name, key: Self.key(payload, in: plaintext), size: size, content: content)
  }
}

/// One version of a file that is about to be written.
public struct NewFileVersion: ~Copyable, Sendable {
  /// The name of the object; nil for contents in the operation.
  private let object: Digest?
  /// The key of the object, or the contents.
  private let secret: SecretBytes
  /// The size of the contents in bytes.
  public let size: UInt64
  /// The time of the file's last change in Unix seconds.
  public let modified: UInt64
  /// The file's permission bits, 0 to 0o7777.
  public let mode: UInt16
  /// The digest of the contents.
  public let content: Digest

  /// Describes contents that lie in an object.
  ///
  /// - Parameters:
  ///   - object: from ``ObjectSealer/result()``.
  ///   - modified: Unix seconds; 0 for a time before 1970.
  ///   - mode: the permission bits; others are left out.
  public init(object: consuming SealedObject, modified: UInt64, mode: UInt16) {
    size = object.size
    content = object.content
    self.modified = JSONText.time(modified)
    self.mode = mode & 0o7777
    self.object = object.name
    secret = object.key
  }

  /// Describes contents that lie in the operation itself, which is padded for that.
  ///
  /// - Parameters:
  ///   - contents: at most ``SizeLimits/inlineFile`` bytes.
  ///   - modified: Unix seconds; 0 for a time before 1970.
  ///   - mode: the permission bits; others are left out.
  /// - Throws: ``CSPPError/tooLarge(limit:)``.
  public init(
    inline contents: consuming SecretBytes, modified: UInt64, mode: UInt16
  ) throws(CSPPError) {
    try SizeLimits.check(contents.count, SizeLimits.inlineFile)
    size = UInt64(contents.count)
    content = contents.withBytes { Digest(of: $0) }
    self.modified = JSONText.time(modified)
    self.mode = mode & 0o7777
    object = nil
    secret = contents
  }

  /// Takes over a version of another operation, unchanged.
  ///
  /// - Parameters:
  ///   - version: from that operation.
  ///   - plaintext: the text from which that operation was parsed.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  public init(
    copying version: FileVersion, in plaintext: borrowing SecretBytes
  ) throws(CSPPError) {
    secret = try Self.secret(of: version, in: plaintext)
    if case .object(let name, _) = version.place { object = name } else { object = nil }
    size = version.size
    modified = version.modified
    mode = version.mode
    content = version.content
  }

  private static func secret(
    of version: FileVersion, in plaintext: borrowing SecretBytes
  ) throws(CSPPError) -> SecretBytes {
    switch version.place {
    case .object(_, let payload): return try FileVersion.key(payload, in: plaintext)
    case .inline(let inline):
      var contents = SecretBytes(zeroed: Int(version.size))
      try version.contents(inline, in: plaintext, into: &contents)
      return contents
    }
  }
}

extension FileVersion {
  /// Whether a text is the base64 of so many bytes.
  private static func encodes(_ size: Int, _ text: RawSpan) -> Bool {
    guard text.byteCount == Base64.encodedSize(size, .standard), Base64.isValid(text, .standard)
    else { return false }
    let padding = (3 - size % 3) % 3
    return (0..<text.byteCount).count(where: { text.byte($0) == UInt8(ascii: "=") }) == padding
  }

  init(_ value: JSONValue, in text: RawSpan) throws(CSPPError) {
    guard value.kind == .object else { throw .invalidField("version") }
    let object = try JSONObject(value, in: text, duplicates: .refused)
    size = try object.required("size", in: text).integer("size", in: text)
    guard size <= SizeLimits.file else { throw .invalidField("size") }
    modified = try object.required("modified", in: text).integer("modified", in: text)
    let bits = try object.required("mode", in: text).integer("mode", in: text)
    guard bits <= 0o7777 else { throw .invalidField("mode") }
    mode = UInt16(bits)
    content = try object.required("content", in: text).identifier("content", in: text)
    if let inline = try object.value("inline", in: text) {
      guard try object.value("object", in: text) == nil, try object.value("key", in: text) == nil
      else { throw .invalidField("inline") }
      guard inline.kind == .string, !inline.hasEscapes, size <= UInt64(SizeLimits.inlineFile),
        Self.encodes(Int(size), text.extracting(inline.range))
      else { throw .invalidField("inline") }
      place = .inline(InlineContents(value: inline))
    } else {
      let key = try Operation.Payload(object, "key", in: text)
      guard key.count == 32, Hex.isValid(text.extracting(key.value.range)) else {
        throw .invalidField("key")
      }
      place = .object(
        try object.required("object", in: text).identifier("object", in: text), key: key)
    }
  }
}

extension NewFileVersion {
  /// Writes the version's object.
  borrowing func write(to writer: inout SecretWriter) {
    if let object {
      writer.raw("{\"object\":\"\(object)\",\"key\":\"")
      secret.withBytes { writer.hex($0) }
    } else {
      writer.raw("{\"inline\":\"")
      secret.withBytes { writer.base64($0) }
    }
    writer.raw("\",\"size\":\(size),\"modified\":\(modified),\"mode\":\(mode),")
    writer.raw("\"content\":\"\(content)\"}")
  }

  /// Whether the contents lie in the operation, so that its size would tell theirs.
  var isInline: Bool { object == nil }
}

public import CSPP
internal import LogState
public import SecretMemory

/// A file's `version` object, as an operation holds it (docs/format.md, rule 1).
///
/// Its bytes are the version: they are copied, and never written again.
public struct VersionText: Equatable, Sendable {
  /// The place of the contents.
  public enum Place: Equatable, Sendable {
    /// An object of this name; the range is that of its key in hexadecimal.
    case object(Digest, key: Range<Int>)
    /// The version itself; the range is that of the contents in base64.
    case inline(Range<Int>)
  }

  /// The file's name.
  public let name: PathComponent
  /// The place of the contents.
  public let place: Place
  /// The size of the contents in bytes, at most ``CSPP/SizeLimits/file``.
  public let size: UInt64
  /// The time of the file's last change in Unix seconds: a claim.
  public let modified: UInt64
  /// The file's permission bits, 0 to 0o7777.
  public let mode: UInt16
  /// The digest of the contents.
  public let content: Digest

  /// The digest of what a person sees: the name and the contents.
  ///
  /// Versions with equal ones are no conflict.
  public var contents: Digest {
    Digest(of: (Array(name.text.utf8) + [0] + content.bytes).span)
  }

  /// Reads a version.
  ///
  /// - Parameter text: its bytes, in guarded memory.
  /// - Throws: errors about fields.
  public init(parsing text: RawSpan) throws(CSPPError) {
    let object = try JSONObject(parsing: text, duplicates: .refused)
    name = try object.required("name", in: text).component("name", in: text)
    size = try object.required("size", in: text).integer("size", in: text)
    guard size <= SizeLimits.file else { throw .invalidField("size") }
    modified = try object.required("modified", in: text).integer("modified", in: text)
    let bits = try object.required("mode", in: text).integer("mode", in: text)
    guard bits <= 0o7777 else { throw .invalidField("mode") }
    mode = UInt16(bits)
    content = try object.required("content", in: text).identifier("content", in: text)
    if let inline = try object.value("inline", in: text) {
      let nonce = try object.required("nonce", in: text)
      _ = try nonce.hex("nonce", in: text, count: EntryMark.nonceSize)
      guard try object.value("object", in: text) == nil, inline.isPlain,
        size <= UInt64(SizeLimits.inlineFile),
        inline.range.count == Base64.encodedSize(Int(size), .standard),
        Base64.isValid(text.extracting(inline.range), .standard)
      else { throw .invalidField("inline") }
      place = .inline(inline.range)
    } else {
      let key = try object.required("key", in: text)
      guard key.isPlain, key.range.count == 64, Hex.isValid(text.extracting(key.range)) else {
        throw .invalidField("key")
      }
      place = .object(
        try object.required("object", in: text).identifier("object", in: text), key: key.range)
    }
  }
}

/// The contents of a file's version that is about to be written.
public struct NewVersion: ~Copyable, Sendable {
  /// The version's bytes.
  public let text: SecretBytes

  /// Describes contents that lie in an object.
  ///
  /// - Parameters:
  ///   - object: the object, which was written.
  ///   - name: the file's name.
  ///   - modified: Unix seconds.
  ///   - mode: the permission bits; others are left out.
  public init(
    _ object: borrowing SealedObject, name: PathComponent, modified: UInt64, mode: UInt16
  ) {
    var writer = SecretWriter(capacity: 1024)
    writer.raw("{\"object\":\"\(object.name)\",\"key\":\"")
    object.key.withBytes { writer.hex($0) }
    writer.raw(
      Self.tail(name, object.size, modified, mode, object.content))
    text = writer.finish()
  }

  /// Describes contents that lie in the operation itself, which is padded for that.
  ///
  /// - Parameters:
  ///   - contents: at most ``CSPP/SizeLimits/inlineFile`` bytes.
  ///   - name: the file's name.
  ///   - modified: Unix seconds.
  ///   - mode: the permission bits; others are left out.
  /// - Throws: ``CSPP/CSPPError/tooLarge(limit:)``.
  public init(
    inline contents: borrowing SecretBytes, name: PathComponent, modified: UInt64, mode: UInt16
  ) throws(CSPPError) {
    try self.init(
      inline: contents, name: name, modified: modified, mode: mode,
      nonce: Randomness.bytes(count: EntryMark.nonceSize))
  }

  /// Describes contents with a number that a test knows.
  init(
    inline contents: borrowing SecretBytes, name: PathComponent, modified: UInt64, mode: UInt16,
    nonce: [UInt8]
  ) throws(CSPPError) {
    guard contents.count <= SizeLimits.inlineFile else {
      throw .tooLarge(limit: SizeLimits.inlineFile)
    }
    var writer = SecretWriter(capacity: contents.count * 2 + 1024)
    writer.raw("{\"nonce\":\"\(Hex.string(nonce))\",\"inline\":\"")
    contents.withBytes { writer.base64($0) }
    writer.raw(
      Self.tail(
        name, UInt64(contents.count), modified, mode, contents.withBytes { Digest(of: $0) }))
    text = writer.finish()
  }

  private static func tail(
    _ name: PathComponent, _ size: UInt64, _ modified: UInt64, _ mode: UInt16, _ content: Digest
  ) -> String {
    "\",\"name\":\(JSONText.quoted(name.text)),\"size\":\(size)"
      + ",\"modified\":\(min(modified, UInt64(Int64.max))),\"mode\":\(mode & 0o7777)"
      + ",\"content\":\"\(content)\"}"
  }
}

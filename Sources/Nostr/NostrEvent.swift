internal import CSPP
internal import SecretMemory

/// An unsigned event of NIP-01.
public struct NostrEvent: Equatable, Sendable {
  /// The largest text of an event that is read, in bytes: more than relays accept.
  public static let maximumSize = 1 << 20

  /// The public key of the signer, if the event states it.
  public var publicKey: NostrPublicKey?
  /// The time in Unix seconds; nil for the time of signing.
  public var createdAt: UInt64?
  /// The kind, 0 to 65535.
  public var kind: UInt16
  /// The tags: lists of strings.
  public var tags: [[String]]
  /// The content: any text.
  public var content: String

  /// Parses an unsigned event: `kind` and `content`, and optionally `tags`, `created_at`, `pubkey`.
  ///
  /// - Parameter text: JSON. Unknown, repeated or invalid fields are rejected, and so is a
  ///   signature: the signature covers everything that was read.
  /// - Throws: ``NostrError/invalidEvent(_:)``, ``NostrError/invalidPublicKey``.
  public init(parsing text: RawSpan) throws(NostrError) {
    guard text.byteCount <= Self.maximumSize else {
      throw .invalidEvent("it is larger than \(Self.maximumSize) bytes")
    }
    do throws(CSPPError) {
      let object = try JSONObject(parsing: text, duplicates: .refused)
      let known: [StaticString] = ["kind", "content", "tags", "created_at", "pubkey"]
      for member in object.members
      where !known.contains(where: { member.name.equals($0, in: text) }) {
        throw .invalidField("one that an unsigned event does not have")
      }
      let number = try object.required("kind", in: text).integer("kind", in: text)
      guard let kind = UInt16(exactly: number) else { throw .invalidField("kind") }
      self.kind = kind
      content = try object.required("content", in: text).text("content", in: text)
      createdAt = try object.value("created_at", in: text)?.integer("created_at", in: text)
      tags =
        try object.value("tags", in: text).map { (value) throws(CSPPError) in
          try Self.tags(value, in: text)
        } ?? []
      publicKey = try object.value("pubkey", in: text).map { (value) throws(CSPPError) in
        let bytes = try value.hex("pubkey", in: text, count: 32)
        guard let key = try? NostrPublicKey(bytes) else { throw .invalidField("pubkey") }
        return key
      }
    } catch {
      throw .invalidEvent("\(error)")
    }
  }

  private static func tags(_ value: JSONValue, in text: RawSpan) throws(CSPPError) -> [[String]] {
    var tags: [[String]] = []
    var elements = try JSONElements(value, field: "tags")
    while let element = try elements.next(in: text) {
      var tag: [String] = []
      var strings = try JSONElements(element, field: "tags")
      while let string = try strings.next(in: text) {
        tag.append(try string.text("tags", in: text))
      }
      tags.append(tag)
    }
    return tags
  }

  /// Signs the event.
  ///
  /// - Parameters:
  ///   - key: the identity's secret key.
  ///   - time: the time in Unix seconds, if the event states none.
  /// - Returns: the signed event's JSON, one line without a line end.
  /// - Throws: ``NostrError/otherPublicKey``; ``NostrError/invalidEvent(_:)`` for a control
  ///   character for which NIP-01 defines no escape.
  public func signed(
    by key: borrowing NostrSecretKey, at time: UInt64
  ) throws(NostrError) -> String {
    if let publicKey, publicKey != key.publicKey { throw .otherPublicKey }
    let createdAt = createdAt ?? time
    let author = key.publicKey.hex
    let tagText =
      try "["
      + tags.map { (tag) throws(NostrError) in
        try "["
          + tag.map { (text) throws(NostrError) in try Self.quoted(text) }
          .joined(separator: ",") + "]"
      }.joined(separator: ",") + "]"
    let contentText = try Self.quoted(content)
    let message = "[0,\"\(author)\",\(createdAt),\(kind),\(tagText),\(contentText)]"
    let id = SHA256.hash(Array(message.utf8))
    let signature = try key.sign(id)
    return "{\"id\":\"\(Hex.string(id))\",\"pubkey\":\"\(author)\",\"created_at\":\(createdAt),"
      + "\"kind\":\(kind),\"tags\":\(tagText),\"content\":\(contentText),"
      + "\"sig\":\"\(Hex.string(signature))\"}"
  }

  /// A string in the form that NIP-01 hashes: seven characters are escaped, all others are
  /// unchanged.
  ///
  /// JSON does not allow the other control characters unescaped, and programs differ in what they
  /// then hash. A signature over them would not be valid everywhere.
  private static func quoted(_ text: String) throws(NostrError) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      let escape: Character? =
        switch byte {
        case 0x08: "b"
        case 0x09: "t"
        case 0x0A: "n"
        case 0x0C: "f"
        case 0x0D: "r"
        case UInt8(ascii: "\""): "\""
        case UInt8(ascii: "\\"): "\\"
        default: nil
        }
      if let escape, let letter = escape.asciiValue {
        bytes += [UInt8(ascii: "\\"), letter]
      } else if byte < 0x20 {
        throw .invalidEvent("it has a control character that NIP-01 gives no spelling for")
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
  }
}

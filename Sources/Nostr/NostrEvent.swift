internal import CSPP
internal import SecretMemory

/// An event of NIP-01 that waits for its signature.
public struct NostrEvent: Equatable, Sendable {
  /// Largest text of an event that is read, in bytes: more than relays take.
  public static let maximumSize = 1 << 20

  /// Who is to sign it, if it says so.
  public var publicKey: NostrPublicKey?
  /// Unix seconds; nil: the time of signing.
  public var createdAt: UInt64?
  /// 0 to 65535.
  public var kind: UInt16
  /// Lists of strings.
  public var tags: [[String]]
  /// Any text.
  public var content: String

  /// Reads an unsigned event: `kind` and `content`, and, if they are there,
  /// `tags`, `created_at`, `pubkey`.
  ///
  /// - Parameter text: JSON. Unknown, repeated or wrong fields are refused, and
  ///   so is a signature: what is signed here is what was read, all of it.
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
  ///   - time: Unix seconds, where the event names no time.
  /// - Returns: the signed event's JSON, one line without its end.
  /// - Throws: ``NostrError/otherPublicKey``; ``NostrError/invalidEvent(_:)`` for a
  ///   control character that NIP-01 gives no spelling for.
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

  /// A string as NIP-01 has it hashed: seven characters escaped, all others as
  /// they are.
  ///
  /// The other control characters may not stand in JSON as they are, and programs
  /// differ in what they then hash: a signature over them would not hold everywhere.
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

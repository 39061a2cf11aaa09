internal import SecretMemory

/// A method call to be sent (D-Bus Specification, "Message Format"), in little-endian byte order.
///
/// A secret stays in its own memory: the bytes hold zeroes in its place.
struct DBusCall {
  var path: String
  var interface: String
  var member: String
  var destination: String
  var body = DBusBody()

  /// The header, padded to the start of the body.
  func header(serial: UInt32) -> [UInt8] {
    var header = DBusBody()
    // Little-endian; a method call; no flags; version 1 of the protocol.
    header.bytes = [UInt8(ascii: "l"), 1, 0, 1]
    header.put(UInt32(body.bytes.count))
    header.put(serial)
    header.array(alignment: 8) { fields in
      fields.field(1, "o", path)
      fields.field(2, "s", interface)
      fields.field(3, "s", member)
      fields.field(6, "s", destination)
      if !body.signature.isEmpty {
        fields.align(8)
        fields.bytes.append(8)
        fields.putSignature("g")
        fields.putSignature(body.signature)
      }
    }
    header.align(8)
    return header.bytes
  }
}

/// Values in D-Bus's marshalled form, with their signature.
struct DBusBody {
  var bytes: [UInt8] = []
  /// The types of the values that callers appended.
  var signature = ""
  /// The range of a secret.
  var secretPlace: Range<Int>?

  mutating func align(_ size: Int) {
    while bytes.count % size != 0 { bytes.append(0) }
  }

  mutating func put(_ value: UInt32) {
    align(4)
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(value >> shift & 255))
    }
  }

  mutating func put(_ value: Bool) { put(value ? 1 : 0 as UInt32) }

  /// Appends a string or object path.
  mutating func put(_ text: String) {
    put(UInt32(text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  mutating func putSignature(_ text: String) {
    bytes.append(UInt8(text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  /// Appends a string in a variant.
  mutating func putVariant(_ text: String) {
    putSignature("s")
    put(text)
  }

  /// Appends a place for a secret, as an array of bytes.
  mutating func putSecret(count: Int) {
    put(UInt32(count))
    secretPlace = bytes.count..<bytes.count + count
    bytes += [UInt8](repeating: 0, count: count)
  }

  /// Appends an array, whose length in bytes excludes the padding before its first element.
  mutating func array(alignment: Int, _ elements: (inout DBusBody) -> Void) {
    align(4)
    let place = bytes.count
    put(0 as UInt32)
    align(alignment)
    let start = bytes.count
    elements(&self)
    let size = UInt32(bytes.count - start)
    for index in 0..<4 { bytes[place + index] = UInt8(size >> UInt32(8 * index) & 255) }
  }

  mutating func put(_ texts: [String]) {
    array(alignment: 4) { body in for text in texts { body.put(text) } }
  }

  /// Appends a dictionary from strings to strings, in a fixed order.
  mutating func put(_ dictionary: [String: String]) {
    array(alignment: 8) { body in
      for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
        body.align(8)
        body.put(key)
        body.put(value)
      }
    }
  }

  fileprivate mutating func field(_ code: UInt8, _ type: String, _ value: String) {
    align(8)
    bytes.append(code)
    putSignature(type)
    put(value)
  }
}

/// A received message in guarded memory, since it may hold a secret.
struct DBusReply: ~Copyable {
  enum Kind: UInt8 {
    case call = 1
    case answer = 2
    case error = 3
    case signal = 4
    /// A type of a later version of the protocol, which must be ignored.
    case unknown = 255
  }

  let kind: Kind
  /// The number of the call that it answers.
  let replySerial: UInt32?
  let path: String
  let member: String
  let errorName: String
  let signature: String
  private let content: SecretBytes
  private let bodyStart: Int

  /// The largest message that is read, in bytes; one with a master key needs a few hundred bytes.
  static let largest = 1 << 20
  /// The size, in bytes, of the part of every message that states its length.
  static let prefixSize = 16

  /// The length of the message that begins with these 16 bytes.
  static func size(prefix: RawSpan) throws(SecretStoreError) -> Int {
    guard prefix.byteCount == prefixSize else { throw .protocolViolation("prefix") }
    var cursor = DBusCursor(prefix.byteCount)
    let order = try cursor.byte(prefix)
    // Senders may choose the byte order. This program runs on little-endian machines, where no
    // sender uses the other one, so that one is reported as an error.
    guard order == UInt8(ascii: "l") else { throw .protocolViolation("byte order") }
    cursor.offset = 4
    let body = try Int(cursor.number(prefix))
    cursor.offset = 12
    let fields = try Int(cursor.number(prefix))
    guard body <= largest, fields <= largest else { throw .protocolViolation("size") }
    return prefixSize + (fields + 7) / 8 * 8 + body
  }

  /// Parses a whole message.
  init(_ content: consuming SecretBytes) throws(SecretStoreError) {
    let fields = try content.withBytes { (bytes) throws(SecretStoreError) in
      try DBusHeaderFields(bytes)
    }
    kind = fields.kind
    replySerial = fields.replySerial
    path = fields.path
    member = fields.member
    errorName = fields.errorName
    signature = fields.signature
    bodyStart = fields.bodyStart
    self.content = content
  }

  /// Reads the body.
  ///
  /// - Parameters:
  ///   - expected: its signature; another one is a violation of the protocol.
  ///   - body: receives the message and the start of the body.
  /// - Returns: the result of `body`.
  /// - Throws: ``SecretStoreError/protocolViolation(_:)``; the errors of `body`.
  borrowing func read<R: ~Copyable>(
    _ expected: String,
    _ body: (RawSpan, inout DBusCursor) throws(SecretStoreError) -> R
  ) throws(SecretStoreError) -> R {
    guard signature == expected else { throw .protocolViolation("signature \(expected)") }
    var cursor = DBusCursor(content.count)
    cursor.offset = bodyStart
    return try content.withBytes { (bytes) throws(SecretStoreError) in try body(bytes, &cursor) }
  }
}

/// The fields in a message's header.
private struct DBusHeaderFields {
  var kind: DBusReply.Kind
  var replySerial: UInt32?
  var path = ""
  var member = ""
  var errorName = ""
  var signature = ""
  var bodyStart: Int

  init(_ bytes: RawSpan) throws(SecretStoreError) {
    var cursor = DBusCursor(bytes.byteCount)
    cursor.offset = 1
    let type = try cursor.byte(bytes)
    if type == 0 { throw .protocolViolation("message type") }
    kind = DBusReply.Kind(rawValue: type) ?? .unknown
    cursor.offset = 12
    let end = try Int(cursor.number(bytes)) + 16
    while cursor.offset < end {
      try cursor.align(8, bytes)
      let code = try cursor.byte(bytes)
      let type = try cursor.signature(bytes)
      switch (code, type) {
      case (1, "o"): path = try cursor.text(bytes)
      case (3, "s"): member = try cursor.text(bytes)
      case (4, "s"): errorName = try cursor.text(bytes)
      case (5, "u"): replySerial = try cursor.number(bytes)
      case (8, "g"): signature = try cursor.signature(bytes)
      // "Must accept and ignore": this includes fields of later versions.
      default: try cursor.skip(type, bytes)
      }
    }
    guard cursor.offset == end else { throw .protocolViolation("header") }
    try cursor.align(8, bytes)
    bodyStart = cursor.offset
  }
}

internal import SecretMemory

/// A position in a message; every read checks that the message is long enough.
struct DBusCursor {
  var offset = 0
  private let count: Int

  init(_ count: Int) { self.count = count }

  fileprivate mutating func take(_ size: Int) throws(SecretStoreError) -> Int {
    guard size >= 0, count - offset >= size else { throw .protocolViolation("cut off") }
    defer { offset += size }
    return offset
  }

  mutating func align(_ size: Int, _ bytes: RawSpan) throws(SecretStoreError) {
    _ = try take((size - offset % size) % size)
  }

  mutating func byte(_ bytes: RawSpan) throws(SecretStoreError) -> UInt8 {
    let place = try take(1)
    return unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
  }

  mutating func number(_ bytes: RawSpan) throws(SecretStoreError) -> UInt32 {
    try align(4, bytes)
    let place = try take(4)
    return unsafe UInt32(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self))
  }

  /// Reads a string or object path that is not secret.
  mutating func text(_ bytes: RawSpan) throws(SecretStoreError) -> String {
    try string(Int(number(bytes)), bytes)
  }

  mutating func signature(_ bytes: RawSpan) throws(SecretStoreError) -> String {
    try string(Int(byte(bytes)), bytes)
  }

  private mutating func string(_ size: Int, _ bytes: RawSpan) throws(SecretStoreError) -> String {
    let place = try take(size + 1)
    return unsafe bytes.extracting(place..<place + size).withUnsafeBytes { text in
      unsafe String(decoding: text, as: UTF8.self)
    }
  }

  /// Reads an array of strings or object paths.
  mutating func texts(_ bytes: RawSpan) throws(SecretStoreError) -> [String] {
    let end = try arrayEnd(bytes)
    var texts: [String] = []
    while offset < end { texts.append(try text(bytes)) }
    return texts
  }

  /// Skips an array of bytes.
  mutating func skipBytes(_ bytes: RawSpan) throws(SecretStoreError) {
    offset = try arrayEnd(bytes)
  }

  /// Reads an array of bytes into guarded memory.
  mutating func secret(_ bytes: RawSpan) throws(SecretStoreError) -> SecretBytes {
    let end = try arrayEnd(bytes)
    defer { offset = end }
    return SecretBytes(copying: bytes.extracting(offset..<end))
  }

  private mutating func arrayEnd(_ bytes: RawSpan) throws(SecretStoreError) -> Int {
    let size = try Int(number(bytes))
    guard size <= count - offset else { throw .protocolViolation("cut off") }
    return offset + size
  }
}

/// Skips values that are not needed.
extension DBusCursor {
  /// The deepest nesting of variants (D-Bus Specification, "Message Format").
  private static let deepest = 64

  /// Skips one value.
  ///
  /// - Parameters:
  ///   - type: its signature, one complete type.
  ///   - bytes: the message.
  /// - Throws: ``SecretStoreError/protocolViolation(_:)``.
  mutating func skip(_ type: String, _ bytes: RawSpan) throws(SecretStoreError) {
    try skip(type, bytes, depth: 0)
  }

  private mutating func skip(
    _ type: String, _ bytes: RawSpan, depth: Int
  ) throws(SecretStoreError) {
    var types = Array(type.utf8)[...]
    try skipValue(&types, bytes, depth: depth)
    guard types.isEmpty else { throw .protocolViolation("signature") }
  }

  /// Skips a value of the first of several types.
  private mutating func skipValue(
    _ types: inout ArraySlice<UInt8>, _ bytes: RawSpan, depth: Int
  ) throws(SecretStoreError) {
    guard depth < Self.deepest, let type = types.popFirst() else {
      throw .protocolViolation("signature")
    }
    switch type {
    case UInt8(ascii: "s"), UInt8(ascii: "o"): _ = try text(bytes)
    case UInt8(ascii: "g"): _ = try signature(bytes)
    case UInt8(ascii: "v"): try skip(signature(bytes), bytes, depth: depth + 1)
    case UInt8(ascii: "a"):
      let size = try Int(number(bytes))
      // The length does not include the padding before the first element.
      try align(Self.alignment(of: types.first), bytes)
      _ = try take(size)
      types = try Self.withoutFirst(types)
    case UInt8(ascii: "("), UInt8(ascii: "{"):
      try align(8, bytes)
      let end = type == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")
      while types.first != end { try skipValue(&types, bytes, depth: depth + 1) }
      types = types.dropFirst()
    default:
      let size = try Self.alignment(of: type)
      try align(size, bytes)
      _ = try take(size)
    }
  }

  /// The types after the first complete one.
  private static func withoutFirst(
    _ types: ArraySlice<UInt8>
  ) throws(SecretStoreError) -> ArraySlice<UInt8> {
    var rest = types
    var open = 0
    while let type = rest.popFirst() {
      switch type {
      case UInt8(ascii: "a"): continue
      case UInt8(ascii: "("), UInt8(ascii: "{"): open += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"): open -= 1
      default: break
      }
      if open == 0 { return rest }
    }
    throw .protocolViolation("signature")
  }

  /// The alignment of a type's values, in bytes.
  ///
  /// An unknown type, whose size is unknown too, has none.
  private static func alignment(of type: UInt8?) throws(SecretStoreError) -> Int {
    switch type {
    case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
    case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
    case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"),
      UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "a"):
      4
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("),
      UInt8(ascii: "{"):
      8
    default: throw .protocolViolation("signature")
    }
  }
}

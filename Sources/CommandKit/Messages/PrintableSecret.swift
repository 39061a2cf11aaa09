internal import CommandSupport
internal import SecretMemory

/// A secret JSON text, made safe to show on a terminal without leaving guarded
/// memory.
enum PrintableSecret {
  /// The same JSON value, with `\uXXXX` in the place of what could do more than
  /// show itself; see ``UnsafeText/isUnsafe(_:)``.
  ///
  /// - Parameter json: UTF-8; anything else in it becomes U+FFFD.
  /// - Returns: text whose only control character is the line end.
  static func escaped(_ json: borrowing SecretBytes) -> SecretBytes {
    var escaped = EscapedText(capacity: json.count + 256)
    json.withBytes { bytes in
      var offset = 0
      while offset < bytes.byteCount {
        let (scalar, size) = scalar(in: bytes, at: offset)
        switch scalar {
        case "\t", "\r":
          // White space between tokens: nowhere else may JSON have them.
          escaped.append(UInt8(ascii: " "))
        case "\n": escaped.append(UInt8(ascii: "\n"))
        case let scalar? where !UnsafeText.isUnsafe(scalar):
          for place in offset..<offset + size { escaped.append(byte(bytes, place)) }
        case let scalar: escaped.append(escape: scalar ?? "\u{FFFD}")
        }
        offset += size
      }
    }
    return escaped.finish()
  }

  private static func byte(_ bytes: RawSpan, _ place: Int) -> UInt8 {
    unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
  }

  /// The scalar that begins at `offset`, nil for a byte that begins none, and its
  /// size in bytes.
  private static func scalar(in bytes: RawSpan, at offset: Int) -> (Unicode.Scalar?, Int) {
    let first = byte(bytes, offset)
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard (0xC2...0xF4).contains(first), offset + size <= bytes.byteCount else { return (nil, 1) }
    var value = UInt32(first) & (0xFF >> UInt32(size + 1))
    for place in offset + 1..<offset + size {
      let next = byte(bytes, place)
      guard next & 0xC0 == 0x80 else { return (nil, 1) }
      value = value << 6 | UInt32(next & 0x3F)
    }
    // What fewer bytes could have said is no UTF-8.
    guard value >= [0x80, 0x800, 0x10000][size - 2], let scalar = Unicode.Scalar(value) else {
      return (nil, 1)
    }
    return (scalar, size)
  }
}

/// Text that grows in guarded memory.
private struct EscapedText: ~Copyable {
  private var bytes: SecretBytes
  private var count = 0

  init(capacity: Int) { bytes = SecretBytes(zeroed: capacity) }

  mutating func append(_ byte: UInt8) {
    if count == bytes.count {
      bytes.reserve(count * 2)
      bytes.resize(to: count * 2)
    }
    let place = count
    bytes.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
    count += 1
  }

  /// Appends a scalar as JSON's `\uXXXX`, two of them beyond the first plane.
  mutating func append(escape scalar: Unicode.Scalar) {
    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
      append(UInt8(ascii: "\\"))
      append(UInt8(ascii: "u"))
      for shift in [12, 8, 4, 0] as [UInt16] {
        let digit = UInt8(unit >> shift & 15)
        append(digit < 10 ? 48 + digit : 87 + digit)
      }
    }
  }

  consuming func finish() -> SecretBytes {
    bytes.resize(to: count)
    return bytes
  }
}

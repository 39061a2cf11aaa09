/// Reads the parts of an input.
///
/// Zeros follow its end. Everywhere zero means "as a good key does it".
struct InputReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func word() -> Int { Int(byte()) << 8 | Int(byte()) }

  /// The next bytes, as many as there are.
  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, position + count)
    defer { position = end }
    return position < end ? Array(bytes[position..<end]) : []
  }
}

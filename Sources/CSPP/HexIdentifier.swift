internal import SecretMemory

/// An identifier with a fixed number of bytes, written in lower-case hexadecimal.
///
/// It is ordered by its bytes, which is also the order of its digits.
public protocol HexIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The type of the big-endian words.
  associatedtype Words: SIMD & Hashable & Sendable where Words.Scalar == UInt64
  /// The bytes as big-endian words.
  var words: Words { get }
  /// Creates the identifier from big-endian words.
  init(words: Words)
}

extension HexIdentifier {
  /// The number of bytes.
  public static var byteCount: Int { Words.scalarCount * 8 }

  /// Creates the identifier from bytes; nil when their number is wrong.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(words: unsafe Words(bigEndian: bytes.span.bytes))
  }

  /// Parses lower-case digits; nil for any other text.
  public init?(hex: String) {
    let digits = Array(hex.utf8)
    guard let bytes = unsafe Hex.decode(digits.span.bytes) else { return nil }
    self.init(bytes: bytes)
  }

  /// Creates an identifier from random bytes of the operating system.
  public static func random() -> Self {
    var words = Words()
    for index in 0..<Words.scalarCount {
      words[index] = Randomness.bytes(count: 8).reduce(0) { $0 &<< 8 | UInt64($1) }
    }
    return Self(words: words)
  }

  /// The bytes.
  public var bytes: [UInt8] {
    (0..<Self.byteCount).map {
      UInt8(truncatingIfNeeded: words[$0 / 8] &>> UInt64(56 - $0 % 8 * 8))
    }
  }

  /// Lower-case digits, two per byte.
  public var hex: String { Hex.string(bytes) }

  /// Lower-case digits, two per byte.
  public var description: String { hex }

  /// Whether `left` precedes `right` in the order of the bytes.
  public static func < (left: Self, right: Self) -> Bool {
    for index in 0..<Words.scalarCount where left.words[index] != right.words[index] {
      return left.words[index] < right.words[index]
    }
    return false
  }
}

extension SIMD where Scalar == UInt64 {
  /// Reads the words from as many bytes.
  init(bigEndian bytes: RawSpan) {
    self.init()
    for index in 0..<Self.scalarCount {
      self[index] = unsafe UInt64(
        bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
  }
}

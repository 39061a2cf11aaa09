internal import CCBOR
internal import SecretMemory

/// Reads CBOR (RFC 8949) item by item, where it lies, by libcbor's streaming decoder.
///
/// Only what has its size in front is taken: numbers, bytes, text, arrays and maps.
struct CBORStream: ~Copyable {
  /// One item.
  enum Item: Equatable {
    /// A number from 0 on.
    case number(UInt64)
    /// Where the bytes lie.
    case bytes(Range<Int>)
    /// Where the text lies, which may be no UTF-8.
    case text(Range<Int>)
    /// How many elements follow.
    case array(Int)
    /// How many pairs follow.
    case map(Int)
  }

  /// The error for anything else, or what is cut off.
  struct Malformed: Error {}

  private let library: keybackup_cbor
  /// The first byte that was not read.
  private(set) var position = 0

  /// - Throws: ``ForeignBackupError/libraryMissing(name:package:)``.
  init() throws(ForeignBackupError) {
    guard let loaded = Self.loaded else {
      throw .libraryMissing(name: "libcbor", package: "libcbor-dev")
    }
    library = loaded
  }

  /// The next item of a text.
  mutating func next(in text: RawSpan) throws(Malformed) -> Item {
    var item = keybackup_cbor_item()
    let start = position
    let size = unsafe text.withUnsafeBytes { text in
      unsafe withUnsafePointer(to: library) { library in
        unsafe keybackup_cbor_next(
          library, text.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: start),
          text.count - start, &item)
      }
    }
    guard size > 0, size <= text.byteCount - start else { throw Malformed() }
    position += size
    if item.kind == keybackup_cbor_number { return .number(item.value) }
    // No number of bytes or elements that is more than there are bytes.
    guard let count = Int(exactly: item.value), count <= text.byteCount else { throw Malformed() }
    switch item.kind {
    case keybackup_cbor_bytes where count <= size: return .bytes(position - count..<position)
    case keybackup_cbor_text where count <= size: return .text(position - count..<position)
    case keybackup_cbor_array: return .array(count)
    case keybackup_cbor_map: return .map(count)
    default: throw Malformed()
    }
  }

  /// Reads bytes: a byte string, or an array of numbers from 0 to 255 as serde writes it.
  ///
  /// - Parameters:
  ///   - bytes: afterwards these bytes.
  ///   - text: the text.
  /// - Throws: ``Malformed``.
  mutating func bytes(into bytes: inout SecretBytes, in text: RawSpan) throws(Malformed) {
    switch try next(in: text) {
    case .bytes(let range):
      bytes.reuse(count: range.count)
      unsafe bytes.withUnsafeMutableBytes { target in
        unsafe text.extracting(range).withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      }
    case .array(let count):
      // Every element has a byte at least.
      let left = text.extracting(position..<text.byteCount)
      guard count <= left.byteCount else { throw Malformed() }
      bytes.reuse(count: count)
      guard count > 0 else { return }
      let size = unsafe bytes.withUnsafeMutableBytes { target in
        unsafe left.withUnsafeBytes { left in
          unsafe withUnsafePointer(to: library) { library in
            unsafe keybackup_cbor_numbers(
              library, left.baseAddress?.assumingMemoryBound(to: UInt8.self), left.count,
              target.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
          }
        }
      }
      guard size > 0 else { throw Malformed() }
      position += size
    default: throw Malformed()
    }
  }

  /// Reads text.
  mutating func text(in text: RawSpan) throws(Malformed) -> String {
    guard case .text(let range) = try next(in: text),
      let string = unsafe text.extracting(range).withUnsafeBytes({
        unsafe String(validating: $0, as: UTF8.self)
      })
    else { throw Malformed() }
    return string
  }

  /// Debian 12 and 13 have one each; what is used is the same in both.
  private static let loaded: keybackup_cbor? = {
    for name in ["libcbor.so.0.8", "libcbor.so.0.10"] {
      var functions = keybackup_cbor()
      if unsafe keybackup_open_cbor(name, &functions) == 1 { return functions }
    }
    return nil
  }()
}

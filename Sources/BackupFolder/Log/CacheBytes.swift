internal import CSPP

/// Writes numbers, identifiers and texts in sequence, in this machine's byte order.
struct CacheWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func add(_ number: some FixedWidthInteger & BitwiseCopyable) { raw(number) }
  mutating func add(_ words: SIMD2<UInt64>) { raw(words) }
  mutating func add(_ words: SIMD4<UInt64>) { raw(words) }

  mutating func add(_ data: [UInt8]) {
    add(Int64(data.count))
    bytes += data
  }

  mutating func add(_ text: String) { add(Array(text.utf8)) }

  mutating func add(_ name: OperationName) {
    add(name.writer.words)
    add(name.counter)
    add(name.digest)
  }

  private mutating func raw<Value: BitwiseCopyable>(_ value: Value) {
    unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
  }
}

/// Reads the output of ``CacheWriter``.
///
/// Reading past the end returns zeroes, and ``isWhole`` is then false.
struct CacheReader {
  private let bytes: [UInt8]
  private var offset = 0
  private var hasFailed = false

  init(_ bytes: Span<UInt8>) {
    self.bytes = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Whether everything read so far was present.
  var isGood: Bool { !hasFailed }
  /// Whether everything was present and has been read.
  var isWhole: Bool { !hasFailed && offset == bytes.count }

  /// Marks the input as invalid because a value makes no sense.
  mutating func fail() { hasFailed = true }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _: Number.Type = Number.self
  ) -> Number {
    raw() ?? 0
  }

  mutating func words2() -> SIMD2<UInt64> { raw() ?? .zero }
  mutating func words4() -> SIMD4<UInt64> { raw() ?? .zero }

  mutating func data() -> [UInt8] {
    let count = count(1)
    let start = offset
    offset += count
    return Array(bytes[start..<offset])
  }

  mutating func text() -> String { String(decoding: data(), as: UTF8.self) }

  /// Reads a count of elements of at least `size` bytes; fails if so many cannot follow.
  mutating func count(_ size: Int) -> Int {
    let count = number(Int64.self)
    guard count >= 0, count <= (bytes.count - offset) / size else {
      hasFailed = true
      return 0
    }
    return Int(count)
  }

  /// Reads an index into an array of `count` elements, or -1.
  mutating func place(below count: Int) -> Int32 {
    let place = number(Int32.self)
    if place >= -1, Int(place) < count { return place }
    hasFailed = true
    return -1
  }

  private mutating func raw<Value: BitwiseCopyable>() -> Value? {
    let size = MemoryLayout<Value>.size
    guard !hasFailed, bytes.count - offset >= size else {
      hasFailed = true
      return nil
    }
    defer { offset += size }
    return unsafe bytes.withUnsafeBytes {
      unsafe $0.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }
  }
}

internal import SecretMemory

extension RawSpan {
  /// The byte at `offset`, bounds-checked.
  func byte(_ offset: Int) -> UInt8 {
    // UInt8 has no padding and no invalid bit pattern.
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Whether every byte satisfies the predicate.
  func allBytes(_ predicate: (UInt8) -> Bool) -> Bool {
    for offset in byteOffsets where !predicate(byte(offset)) { return false }
    return true
  }

  /// A copy outside guarded memory, for bytes that are not secret.
  func array() -> [UInt8] {
    byteOffsets.map { byte($0) }
  }
}

enum CBytes {
  /// Copies bytes that libfido2 lends; empty if there are none.
  static func array(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    guard let start = unsafe start, count > 0 else { return [] }
    return unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  }

  /// Copies text that libfido2 lends; invalid UTF-8 is replaced.
  static func text(_ start: UnsafePointer<CChar>?) -> String? {
    guard let start = unsafe start else { return nil }
    return unsafe String(cString: start)
  }
}

extension CBytes {
  /// Copies a list of texts that libfido2 lends.
  static func texts(
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int
  ) -> [String] {
    guard let start = unsafe start else { return [] }
    return (0..<count).compactMap { unsafe text(start[$0]) }
  }
}

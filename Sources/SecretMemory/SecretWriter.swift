/// Builds text in guarded memory, piece by piece.
package struct SecretWriter: ~Copyable {
  private var buffer: SecretBytes

  /// Starts with room for `capacity` bytes; allocates more when needed.
  package init(capacity: Int = 4096) {
    buffer = SecretBytes(zeroed: capacity)
    buffer.resize(to: 0)
  }

  /// The number of bytes written.
  package var count: Int { buffer.count }

  /// The bytes written; consumes the writer.
  package consuming func finish() -> SecretBytes { buffer }

  /// Passes the bytes written so far to a closure.
  package borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try buffer.withBytes(body)
  }

  /// Adds `count` bytes that `fill` writes.
  package mutating func grow(
    _ count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    let old = buffer.count
    buffer.reserve(old + count)
    buffer.resize(to: old + count)
    unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe fill(UnsafeMutableRawBufferPointer(rebasing: bytes[old...]))
    }
  }

  /// Adds bytes unchanged.
  package mutating func raw(_ bytes: RawSpan) {
    unsafe grow(bytes.byteCount) { target in
      unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
    }
  }

  /// Adds text that is not secret.
  package mutating func raw(_ json: String) {
    unsafe raw(Array(json.utf8).span.bytes)
  }

  /// Adds bytes as lower-case hexadecimal digits, without quotation marks.
  package mutating func hex(_ bytes: RawSpan) {
    unsafe grow(bytes.byteCount * 2) { unsafe Hex.encode(bytes, into: $0) }
  }

  /// Adds bytes as Base64 characters, without quotation marks.
  package mutating func base64(_ bytes: RawSpan) {
    unsafe grow(Base64.encodedSize(bytes.byteCount, .standard)) { target in
      unsafe Base64.encode(bytes, .standard, into: target)
    }
  }
}

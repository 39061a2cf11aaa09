// libsodium declares its pointers non-null, but an empty Swift buffer may have no address. These
// give an address that is valid for zero bytes.

extension UnsafeRawBufferPointer {
  /// The first byte as C's `const unsigned char *`; readable for `count` bytes.
  var cBytes: UnsafePointer<UInt8> {
    unsafe UnsafePointer(
      (baseAddress ?? UnsafeRawPointer(CPointers.nowhere)).assumingMemoryBound(to: UInt8.self))
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The first byte as C's `unsigned char *`; writable for `count` bytes.
  var cBytes: UnsafeMutablePointer<UInt8> {
    unsafe (baseAddress ?? CPointers.nowhere).assumingMemoryBound(to: UInt8.self)
  }
}

enum CPointers {
  /// One byte that is never read or written.
  nonisolated(unsafe) static let nowhere: UnsafeMutableRawPointer =
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
}

internal import CSodium

/// Bytes that must not leave this process: a PIN, a PRF output, a key, an unencrypted wallet
/// secret.
///
/// The bytes are in libsodium's guarded memory (`sodium_malloc`). It is locked against swapping,
/// kept out of core dumps, surrounded by inaccessible pages, and wiped when the value is destroyed.
/// The type cannot be copied by assignment, printed, encoded or compared with `==`. A reader
/// borrows the bytes inside a closure.
///
/// - Note: Every value costs a memory page, four with those around it, and at least two system
///   calls. Keep few alive at a time, and reuse one where a loop handles thousands of records.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: the value is the only owner of the allocation, and mutation needs
  // exclusive access to the value.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int

  /// The number of bytes held.
  public private(set) var count: Int

  /// Creates `count` zero bytes in guarded memory.
  ///
  /// Running out of memory ends the process, as for every other Swift allocation. No core is dumped
  /// (see ``ProcessHardening``).
  public init(zeroed count: Int) {
    precondition(count >= 0, "a byte count cannot be negative")
    unsafe base = GuardedMemory.allocate(count)
    capacity = count
    self.count = count
  }

  /// Creates `count` bytes that `fill` writes in place.
  ///
  /// - Parameters:
  ///   - count: the size in bytes.
  ///   - fill: writes the bytes, which start as zeroes.
  /// - Throws: the errors of `fill`; the memory is wiped first.
  public init<E: Error>(
    count: Int, filling fill: (inout MutableRawSpan) throws(E) -> Void
  ) throws(E) {
    self.init(zeroed: count)
    try withMutableBytes(fill)
  }

  /// Copies `bytes` into guarded memory.
  ///
  /// The caller must wipe the source.
  public init(copying bytes: RawSpan) {
    self.init(zeroed: bytes.byteCount)
    let target = unsafe base
    unsafe bytes.withUnsafeBytes { source in
      if let start = source.baseAddress {
        unsafe target.copyMemory(from: start, byteCount: source.count)
      }
    }
  }

  /// Creates `count` bytes from the operating system's random source.
  public static func random(count: Int) -> SecretBytes {
    let bytes = SecretBytes(zeroed: count)
    unsafe randombytes_buf(bytes.base, count)
    return bytes
  }

  deinit {
    unsafe GuardedMemory.free(base, capacity)
  }

  /// Passes the bytes to a closure for reading.
  public borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count))
  }

  /// Passes the bytes to a closure that changes them in place.
  public mutating func withMutableBytes<R: ~Copyable, E: Error>(
    _ body: (inout MutableRawSpan) throws(E) -> R
  ) throws(E) -> R {
    var span = unsafe MutableRawSpan(_unsafeStart: base, byteCount: count)
    return try body(&span)
  }

  /// Passes the address of the bytes to one C call.
  public borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Passes the address of the bytes to one C call that writes them.
  public mutating func withUnsafeMutableBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: count))
  }

  /// A second, independent owner of the same bytes.
  public borrowing func copy() -> SecretBytes {
    withBytes { SecretBytes(copying: $0) }
  }

  /// A copy of the bytes in `range`, with its own owner.
  ///
  /// - Precondition: `range` lies within `0..<count`.
  public borrowing func copy(_ range: Range<Int>) -> SecretBytes {
    withBytes { SecretBytes(copying: $0.extracting(range)) }
  }

  /// Shortens the value or lengthens it within its original size, without moving it; removed bytes
  /// are wiped.
  ///
  /// - Precondition: `newCount` is at most the size with which the value was created.
  public mutating func resize(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= capacity, "beyond the allocation")
    if newCount < count {
      unsafe sodium_memzero(base + newCount, count - newCount)
    }
    count = newCount
  }

  /// Makes room for `newCount` bytes, in the same allocation if they fit; the old contents are
  /// lost.
  ///
  /// Meant for a buffer that serves thousands of records: a guarded allocation costs more than
  /// opening one.
  public mutating func reuse(count newCount: Int) {
    if newCount > capacity {
      // The size doubles, so that slowly growing records do not allocate each time. For large sizes
      // memory is worth more than an allocation.
      let larger = max(newCount, min(capacity * 2, Self.large))
      // The old memory is freed first: both together would be the peak of the run.
      unsafe GuardedMemory.free(base, capacity)
      unsafe base = GuardedMemory.allocate(larger)
      capacity = larger
      count = newCount
    }
    resize(to: newCount)
  }

  /// From this size on, in bytes, memory costs more than an allocation.
  private static let large = 1 << 20

  /// Makes the allocation large enough for `newCapacity` bytes and keeps the contents.
  public mutating func reserve(_ newCapacity: Int) {
    guard newCapacity > capacity else { return }
    var larger = SecretBytes(zeroed: max(newCapacity, capacity * 2))
    unsafe larger.base.copyMemory(from: base, byteCount: count)
    larger.resize(to: count)
    self = larger
  }

  /// Whether both hold the same bytes, in time that depends only on the sizes.
  public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    guard count == other.count else { return false }
    return unsafe sodium_memcmp(base, other.base, count) == 0
  }
}

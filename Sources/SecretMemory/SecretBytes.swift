internal import CSodium
internal import Glibc

/// Bytes that must not leave this process: a PIN, a PRF output, a key, a
/// plaintext wallet secret.
///
/// The bytes live in libsodium's guarded memory (`sodium_malloc`): locked so
/// that they are not swapped, kept out of core dumps, fenced by inaccessible
/// pages, and wiped when the value is destroyed. The type cannot be copied by
/// assignment, printed, encoded or compared with `==`; a reader borrows the
/// bytes inside a closure.
///
/// - Note: Every value costs several memory pages and system calls; keep few
///   alive at a time, and reuse one where a loop handles thousands of records.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: the value is the single owner of the allocation,
  // and mutation needs exclusive access to the value.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int

  /// Number of bytes held.
  public private(set) var count: Int

  /// Makes `count` zero bytes in guarded memory.
  ///
  /// Running out of memory ends the process, as it does for every other Swift
  /// allocation; it dumps no core (see ``ProcessHardening``).
  public init(zeroed count: Int) {
    precondition(count >= 0, "a byte count cannot be negative")
    unsafe base = Self.allocate(count)
    capacity = count
    self.count = count
  }

  private static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    Sodium.start()
    guard let memory = unsafe sodium_malloc(max(count, 1)) else {
      preconditionFailure("out of guarded memory")
    }
    // libsodium fills new memory with 0xDB; callers expect zeroes.
    unsafe sodium_memzero(memory, count)
    unsafe keepFromForks(memory, count)
    return unsafe memory
  }

  /// Leaves the pages out of processes that are forked: those would keep what
  /// is wiped here.
  private static func keepFromForks(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    let page = Int(getpagesize())
    let start = UInt(bitPattern: memory) & ~UInt(page - 1)
    let size = (Int(UInt(bitPattern: memory) - start) + max(count, 1) + page - 1) / page * page
    guard let pages = unsafe UnsafeMutableRawPointer(bitPattern: start) else { return }
    unsafe madvise(pages, size, MADV_DONTFORK)
  }

  /// Makes `count` bytes and lets `fill` write them in place.
  ///
  /// - Parameters:
  ///   - count: size in bytes.
  ///   - fill: writes the bytes, which start as zeroes.
  /// - Throws: what `fill` throws; the memory is wiped first.
  public init<E: Error>(
    count: Int, filling fill: (inout MutableRawSpan) throws(E) -> Void
  ) throws(E) {
    self.init(zeroed: count)
    try withMutableBytes(fill)
  }

  /// Copies `bytes` into guarded memory.
  ///
  /// The source is the caller's to wipe.
  public init(copying bytes: RawSpan) {
    self.init(zeroed: bytes.byteCount)
    let target = unsafe base
    unsafe bytes.withUnsafeBytes { source in
      if let start = source.baseAddress {
        unsafe target.copyMemory(from: start, byteCount: source.count)
      }
    }
  }

  /// Makes `count` bytes from the operating system's random source.
  public static func random(count: Int) -> SecretBytes {
    let bytes = SecretBytes(zeroed: count)
    unsafe randombytes_buf(bytes.base, count)
    return bytes
  }

  deinit {
    // sodium_free wipes the whole allocation before it returns the pages.
    unsafe sodium_free(base)
  }

  /// Lends the bytes for reading.
  public borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count))
  }

  /// Lends the bytes for changing in place.
  public mutating func withMutableBytes<R: ~Copyable, E: Error>(
    _ body: (inout MutableRawSpan) throws(E) -> R
  ) throws(E) -> R {
    var span = unsafe MutableRawSpan(_unsafeStart: base, byteCount: count)
    return try body(&span)
  }

  /// Lends the address of the bytes, for one C call.
  public borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Lends the address of the bytes, for one C call that writes them.
  public mutating func withUnsafeMutableBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: count))
  }

  /// A second, independent owner of the same bytes.
  public borrowing func copy() -> SecretBytes {
    withBytes { SecretBytes(copying: $0) }
  }

  /// A new owner of the bytes in `range`.
  ///
  /// - Precondition: `range` lies within `0..<count`.
  public borrowing func copy(_ range: Range<Int>) -> SecretBytes {
    withBytes { SecretBytes(copying: $0.extracting(range)) }
  }

  /// Shortens or, within the original size, lengthens the value without
  /// moving it; bytes that fall away are wiped.
  ///
  /// - Precondition: `newCount` is at most the size the value was made with.
  public mutating func resize(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= capacity, "beyond the allocation")
    if newCount < count {
      unsafe sodium_memzero(base + newCount, count - newCount)
    }
    count = newCount
  }

  /// Makes room for `newCount` bytes, in the same allocation if they fit.
  ///
  /// What was held is lost. For a buffer that serves thousands of records: a
  /// guarded allocation costs more than opening one.
  public mutating func reuse(count newCount: Int) {
    if newCount > capacity {
      // Doubling, so that slowly growing records do not allocate each time; of
      // large ones every byte counts more than an allocation.
      capacity = max(newCount, min(capacity * 2, Self.large))
      // The old memory goes first: both at once would be a run's peak.
      unsafe sodium_free(base)
      unsafe base = Self.allocate(capacity)
      count = newCount
    }
    resize(to: newCount)
  }

  /// From this size on, in bytes, memory is dearer than an allocation.
  private static let large = 1 << 20

  /// Makes the allocation large enough for `newCapacity` bytes and keeps what
  /// is held.
  public mutating func reserve(_ newCapacity: Int) {
    guard newCapacity > capacity else { return }
    var larger = SecretBytes(zeroed: max(newCapacity, capacity * 2))
    unsafe larger.base.copyMemory(from: base, byteCount: count)
    larger.resize(to: count)
    self = larger
  }

  /// Whether both hold the same bytes, in time that depends on the sizes only.
  public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    guard count == other.count else { return false }
    return unsafe sodium_memcmp(base, other.base, count) == 0
  }
}

internal import CSodium
internal import Glibc
internal import Synchronization

/// The allocations of ``SecretBytes``, in libsodium's guarded memory.
///
/// A new allocation costs eleven system calls with its end: it is mapped, locked, excluded from core dumps and
/// from forked processes, and surrounded by inaccessible pages. Most secrets fit into one page and
/// live for microseconds. So a page that is freed is wiped, made inaccessible, and kept for the next
/// secret (docs/decisions/0057-pages-of-secrets.md).
@safe
enum GuardedMemory {
  /// The most bytes that one page holds: libsodium writes a random value of 16 bytes before them and
  /// checks it when it frees the page.
  static let pageCapacity = Int(getpagesize()) - 16

  /// The most pages that are kept.
  ///
  /// They are locked memory, of which a process may have little.
  static let keptPages = 32

  /// Wiped and inaccessible pages that no secret uses; each is where libsodium's allocation begins.
  @safe
  private struct Pages: @unchecked Sendable {
    // `@unchecked Sendable`: a page is in the list or has one owner, and the list is behind a lock.
    private var starts: [UnsafeMutableRawPointer] = unsafe []

    mutating func take() -> UnsafeMutableRawPointer? { unsafe starts.popLast() }

    /// - Returns: whether there was room.
    mutating func keep(_ start: UnsafeMutableRawPointer) -> Bool {
      guard unsafe starts.count < GuardedMemory.keptPages else { return false }
      unsafe starts.append(start)
      return true
    }
  }

  private static let pages = Mutex(Pages())

  /// Allocates `count` bytes, all zero.
  ///
  /// The bytes end where an inaccessible page begins, or at most 15 bytes before it.
  ///
  /// Running out of memory ends the process.
  static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    guard count <= pageCapacity else { return unsafe map(count) }
    let kept = unsafe pages.withLock { unsafe $0.take() }
    if let kept = unsafe kept, unsafe sodium_mprotect_readwrite(kept) != 0 {
      preconditionFailure("out of guarded memory")
    }
    let start = unsafe kept ?? map(pageCapacity)
    return unsafe start + (pageCapacity - rounded(count))
  }

  /// Wipes an allocation of `count` bytes, the size with which it was made, and frees it.
  ///
  /// Ends the process if something wrote before its first byte.
  static func free(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    // sodium_free wipes the whole allocation before it returns the pages.
    guard count <= pageCapacity else { return unsafe sodium_free(memory) }
    let start = unsafe memory - (pageCapacity - rounded(count))
    let isZeroBefore = unsafe sodium_is_zero(start, memory - start) == 1
    precondition(isZeroBefore, "guarded memory was written before a secret")
    unsafe sodium_memzero(start, pageCapacity)
    unsafe sodium_mprotect_noaccess(start)
    let isKept = pages.withLock { unsafe $0.keep(start) }
    if !isKept { unsafe sodium_free(start) }
  }

  /// To the next multiple of 16, the alignment that any C type may need.
  private static func rounded(_ count: Int) -> Int { (count + 15) & ~15 }

  private static func map(_ count: Int) -> UnsafeMutableRawPointer {
    Sodium.start()
    guard let memory = unsafe sodium_malloc(max(count, 1)) else {
      preconditionFailure("out of guarded memory")
    }
    // libsodium fills new memory with 0xDB; callers expect zeroes.
    unsafe sodium_memzero(memory, count)
    unsafe keepFromForks(memory, count)
    return unsafe memory
  }

  /// Excludes the pages from forked processes, which would keep bytes that are wiped here.
  private static func keepFromForks(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    let page = Int(getpagesize())
    let start = UInt(bitPattern: memory) & ~UInt(page - 1)
    let size = (Int(UInt(bitPattern: memory) - start) + max(count, 1) + page - 1) / page * page
    guard let pages = unsafe UnsafeMutableRawPointer(bitPattern: start) else { return }
    unsafe madvise(pages, size, MADV_DONTFORK)
  }
}

internal import Glibc

/// SHA-256 of a long message, digested on a thread of its own while the caller goes on.
///
/// The caller digests a short message itself, and any message where no thread can be started.
public struct LongSHA256: ~Copyable {
  /// The bytes that the caller digests before a thread takes over, 1 MiB.
  static let threshold = 1024 * 1024

  // One of the two is there.
  private var hash: SHA256? = SHA256()
  private var thread: DigestThread?
  private var count = 0

  /// Starts a digest that receives its message in pieces.
  public init() {}

  deinit { thread?.end() }

  /// Adds bytes to the message.
  public mutating func update(_ bytes: RawSpan) {
    if let thread { return thread.take(bytes) }
    hash?.update(bytes)
    count += bytes.byteCount
    if count < Self.threshold { return }
    count = 0
    thread = DigestThread.start()
    if let thread { thread.hash = hash.take() }
  }

  /// The 32-byte digest of everything added; consumes the value.
  public consuming func finalize() -> [UInt8] {
    if let thread { return thread.finish() }
    return hash.take()?.finalize() ?? []
  }
}

/// A thread that digests one half of a buffer while the caller fills the other.
@safe
private final class DigestThread: @unchecked Sendable {
  // `@unchecked Sendable`: a half and the digest belong to the caller until it posts `filled`, and
  // to the thread until that posts `free`.

  /// One half of the buffer; the thread digests its first `count` bytes, or ends where there are none.
  private final class Half {
    var bytes = SecretBytes(zeroed: 128 * 1024)
    var count = 0
  }

  /// The digest of what came before.
  var hash: SHA256? = nil
  private let halves = [Half(), Half()]
  /// The half that the caller fills, and whether it belongs to the caller.
  private var place = 0
  private var isHeld = false
  private var isEnded = false
  private let filled = Semaphore(0)
  private let free = Semaphore(2)
  private let ended = Semaphore(0)
  private var digest: [UInt8] = []

  /// Starts a thread that no signal goes to.
  ///
  /// - Returns: nil where none can be started.
  static func start() -> DigestThread? {
    let made = DigestThread()
    let raw = unsafe Unmanaged.passRetained(made)
    var (all, before) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    // A new thread inherits the mask.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { raw in
        if let raw = unsafe raw {
          unsafe Unmanaged<DigestThread>.fromOpaque(raw).takeRetainedValue().run()
        }
        return nil
      }, raw.toOpaque())
    guard code == 0 else {
      unsafe raw.release()
      return nil
    }
    pthread_detach(thread)
    return made
  }

  /// Copies bytes into the buffer; waits where the thread is behind.
  func take(_ bytes: RawSpan) {
    var taken = 0
    while taken < bytes.byteCount {
      let half = hold()
      let (start, from) = (half.count, taken)
      let count = min(half.bytes.count - start, bytes.byteCount - from)
      unsafe half.bytes.withUnsafeMutableBytes { target in
        unsafe bytes.extracting(from..<from + count).withUnsafeBytes { source in
          unsafe UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: source)
        }
      }
      half.count += count
      taken += count
      if half.count == half.bytes.count { pass() }
    }
  }

  /// The digest of everything; the thread ends.
  func finish() -> [UInt8] {
    if isHeld { pass() }
    end()
    ended.wait()
    return digest
  }

  /// Ends the thread, whatever it has digested.
  func end() {
    if isEnded { return }
    isEnded = true
    hold().count = 0
    pass()
  }

  private func hold() -> Half {
    let half = halves[place]
    if isHeld { return half }
    free.wait()
    isHeld = true
    half.count = 0
    return half
  }

  private func pass() {
    isHeld = false
    place = 1 - place
    filled.post()
  }

  private func run() {
    var next = 0
    while true {
      filled.wait()
      let half = halves[next]
      if half.count == 0 { break }
      half.bytes.withBytes { hash?.update($0.extracting(0..<half.count)) }
      next = 1 - next
      free.post()
    }
    digest = hash.take()?.finalize() ?? []
    ended.post()
  }
}

/// A POSIX semaphore.
@safe
private final class Semaphore: @unchecked Sendable {
  // `@unchecked Sendable`: its calls may come from any thread.
  private let state: UnsafeMutablePointer<sem_t>

  init(_ count: UInt32) {
    unsafe state = .allocate(capacity: 1)
    unsafe sem_init(state, 0, count)
  }

  deinit {
    unsafe sem_destroy(state)
    unsafe state.deallocate()
  }

  func wait() {
    // A signal interrupts a wait.
    while unsafe sem_wait(state) != 0 {}
  }

  func post() { unsafe sem_post(state) }
}

internal import CLinux
internal import CPCSC
internal import Glibc

/// Detects changes of cards, readers and pcscd itself, and tells which cards are security keys.
///
/// A thread waits in pcscd. While pcscd does not run, the folder of its socket is watched.
final class ReaderMonitor: Sendable {
  private struct State {
    var presences: [SmartCardService.Presence] = []
    /// The service in which the thread waits; `nil` if there is no thread.
    var service: SmartCardService?
    var isStopped = false
    /// Whether the thread still waits for pcscd's first answer.
    var isStarting = false
    /// Whether something arrived while the thread was starting, so that it must check again.
    var wantsAnotherStart = false
    /// The cards that have been queried.
    var asked: [String: (state: DWORD, reader: CardReader)] = [:]
  }

  private let state = Condition(State())
  private let socket: ServiceSocketWatch
  /// The limit of the wait for pcscd's first answer; later it is an event.
  private let firstAnswer = MonotonicTime.now().advanced(by: .seconds(1))
  /// An eventfd that becomes readable at every change.
  private let change: Int32

  /// The file descriptors to wait on for reading.
  var files: [Int32] { [change, socket.file] }

  init() throws(PRFDeviceError) {
    socket = try ServiceSocketWatch()
    change = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard change >= 0 else { throw .system(errno: Int(errno)) }
    start()
  }

  deinit { close(change) }

  /// Processes the received events.
  func drain() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(change, &count)
    if socket.drain() { start() }
  }

  /// The security keys on the readers now.
  ///
  /// Queries only cards that have not been queried. A card that did not answer is queried again
  /// after it was lifted.
  func authenticators() -> [AuthenticatorDescriptor] {
    let limit = firstAnswer
    let (presences, asked) = state.wait { state in
      state.isStarting && MonotonicTime.now() < limit
        ? .waitUntil(limit) : .done((state.presences, state.asked))
    }
    let news = presences.filter { asked[$0.reader]?.state != $0.identity }
    let answers = ReaderSurvey.look(at: news)
    return state.withLock { state in
      for (presence, reader) in zip(news, answers) {
        state.asked[presence.reader] = (presence.identity, reader)
      }
      let readers = presences.compactMap { state.asked[$0.reader]?.reader }
      return ReaderReport(service: .running, readers: readers).authenticators
    }
  }

  /// Ends the thread.
  func stop() {
    state.change { $0.isStopped = true }
    let limit = MonotonicTime.now().advanced(by: .seconds(2))
    while let service = state.withLock({ $0.service }), MonotonicTime.now() < limit {
      // The call has no effect if the thread is not waiting yet, so it is repeated until the thread
      // has ended.
      service.cancel()
      let soon = MonotonicTime.now().advanced(by: .milliseconds(20))
      state.wait { state -> Condition<State>.Next<Void> in
        state.service == nil || MonotonicTime.now() >= soon ? .done(()) : .waitUntil(soon)
      }
    }
  }

  /// Starts the thread if pcscd runs and there is no thread.
  private func start() {
    let isNeeded = state.withLock { state in
      guard state.service == nil, !state.isStopped else { return false }
      state.wantsAnotherStart = state.isStarting
      guard !state.isStarting else { return false }
      state.isStarting = true
      return true
    }
    guard isNeeded else { return }
    do throws(PRFDeviceError) {
      try BackgroundThread.start { [self] in
        repeat { watch() } while isToStartAgain()
      }
    } catch {
      state.change { $0.isStarting = false }
    }
  }

  /// Ends the thread, unless pcscd came back in the meantime; returns whether it did.
  private func isToStartAgain() -> Bool {
    let hadReaders = state.withLock { !$0.presences.isEmpty }
    var again = false
    state.change {
      again = $0.wantsAnotherStart && !$0.isStopped
      $0.wantsAnotherStart = false
      $0.service = nil
      $0.presences = []
      $0.isStarting = again
    }
    if hadReaders { _ = eventfd_write(change, 1) }
    return again
  }

  /// Waits for one change after another until stopped or pcscd is gone.
  private func watch() {
    guard let service = try? SmartCardService(), var known = try? service.presences() else {
      return
    }
    state.change { [known] in
      $0.service = service
      $0.presences = known
      $0.isStarting = false
      $0.wantsAnotherStart = false
    }
    // A caller that checked before pcscd answered must check again.
    if !known.isEmpty { _ = eventfd_write(change, 1) }
    while !state.withLock({ $0.isStopped }) {
      let awaited =
        known.map { ($0.reader, $0.state & ~DWORD(SCARD_STATE_CHANGED)) }
        + [(PCSC.newReader, DWORD(SCARD_STATE_UNAWARE))]
      // A reader that disappears at this moment is unknown: check again.
      if let code = (service.wait(for: awaited)), code != SCARD_E_UNKNOWN_READER { return }
      guard let presences = try? service.presences() else { return }
      let isNews = presences.map(\.identity) != known.map(\.identity)
      known = presences
      state.change { $0.presences = presences }
      if isNews { _ = eventfd_write(change, 1) }
    }
  }
}

extension SmartCardService.Presence {
  /// The state without the flags that our own queries change.
  var identity: DWORD { state & ~DWORD(SCARD_STATE_CHANGED | SCARD_STATE_INUSE) }
}

extension SmartCardService {
  /// Waits for a change of these readers, without end.
  ///
  /// - Returns: an error code, or `nil` after a change.
  func wait(for known: [(reader: String, state: DWORD)]) -> LONG? {
    do throws(CardFailure) {
      _ = try states(of: known, timeout: DWORD(INFINITE))
      return nil
    } catch .service(let code) {
      return code
    } catch {
      return SCARD_F_INTERNAL_ERROR
    }
  }
}

/// Detects when pcscd's socket appears.
final class ServiceSocketWatch: Sendable {
  /// The file descriptor to wait on for reading.
  let file: Int32
  private let folder: String

  /// The path of the socket, as libpcsclite determines it.
  private static var path: String {
    unsafe getenv("PCSCLITE_CSOCK_NAME").map { unsafe String(cString: $0) }
      ?? "/run/pcscd/pcscd.comm"
  }

  /// Whether a service listens there, even if we may not connect or it hangs up.
  static var isListening: Bool {
    let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(O_CLOEXEC | O_NONBLOCK), 0)
    guard file >= 0 else { return false }
    defer { close(file) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { name in
      unsafe name.copyBytes(from: path.utf8.prefix(name.count - 1))
    }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 || errno == EAGAIN || errno == EACCES
  }

  init() throws(PRFDeviceError) {
    folder = Self.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    file = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard file >= 0 else { throw .system(errno: Int(errno)) }
    watch()
  }

  deinit { close(file) }

  /// Processes the received events.
  ///
  /// - Returns: whether there were any.
  func drain() -> Bool {
    var hasNews = false
    var events = [UInt8](repeating: 0, count: 4096)
    while unsafe read(file, &events, events.count) > 0 { hasNews = true }
    // The folder itself may have been created.
    if hasNews { watch() }
    return hasNews
  }

  private func watch() {
    let parent = folder.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    for place in [folder, parent.isEmpty ? "/" : parent] {
      // The socket's mode changes once a service listens on it.
      unsafe inotify_add_watch(file, place, UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB))
    }
  }
}

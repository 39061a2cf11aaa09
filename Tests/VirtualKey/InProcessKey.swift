import Glibc

/// A simulated key in the test's own process, with the interface of libfido2's io functions.
///
/// Reports have 64 bytes in, 65 (with the report ID) out. The key runs on its own thread; creating
/// one plugs it in.
public final class InProcessKey: Sendable {
  /// The key's memory, which can be passed to the next `InProcessKey` as if replugged.
  public let store: KeyStore
  /// The record of the key's commands.
  public let trace: Trace

  private let host: Int32

  /// Plugs in a key.
  ///
  /// - Throws: `VirtualKeyError.system` if a socket or thread cannot be created.
  public init(
    _ configuration: KeyConfiguration = KeyConfiguration(), store: KeyStore = KeyStore()
  ) throws(VirtualKeyError) {
    self.store = store
    let trace = Trace()
    self.trace = trace
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw .system(operation: "socketpair", errno: errno)
    }
    host = ends[0]
    let key = ends[1]
    try startThread {
      KeySession.serve(
        descriptor: key, line: .packets, configuration: configuration, store: store,
        trace: trace)
      Glibc.close(key)
    }
  }

  deinit { Glibc.close(host) }

  /// Begins a session; unread reports are dropped, as on a real bus.
  public func open() {
    var ignored: UInt8 = 0
    while unsafe recv(host, &ignored, 1, Int32(MSG_DONTWAIT)) > 0 {}
  }

  /// Ends a session.
  ///
  /// The key stays plugged in.
  public func close() {}

  /// Waits for a report.
  ///
  /// - Parameters:
  ///   - buffer: receives the report, at least 64 bytes.
  ///   - timeoutMilliseconds: how long to wait; negative for no limit.
  /// - Returns: 64; -1 after the time or when the key is disconnected.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutMilliseconds: Int
  ) -> Int {
    var entry = pollfd(fd: host, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, Int32(clamping: timeoutMilliseconds)) == 1 else { return -1 }
    let count = unsafe recv(host, buffer.baseAddress, buffer.count, 0)
    return count > 0 ? count : -1
  }

  /// Sends a report of 65 bytes, with the report ID (0) first.
  ///
  /// - Returns: the number of bytes taken, or -1 when the key is disconnected.
  public func write(_ report: UnsafeRawBufferPointer) -> Int {
    guard report.count == 65 else { return -1 }
    let body = unsafe UnsafeRawBufferPointer(rebasing: report.dropFirst())
    let sent = unsafe send(host, body.baseAddress, body.count, Int32(MSG_NOSIGNAL))
    return sent == body.count ? report.count : -1
  }

  /// Unplugs the key: reads and writes fail from now on.
  ///
  /// Its memory is kept.
  public func unplug() { shutdown(host, Int32(SHUT_RDWR)) }
}

/// One power-up of a key, served on the calling thread.
public enum KeySession {
  /// Serves until the line ends or the key unplugs itself.
  ///
  /// - Parameters:
  ///   - descriptor: the key's end.
  ///   - line: the kind of its line.
  ///   - configuration: the key's capabilities.
  ///   - store: the key's memory.
  ///   - trace: records the commands.
  ///   - unplugs: the moment when it ends by itself.
  public static func serve(
    descriptor: Int32, line: HIDLine, configuration: KeyConfiguration, store: KeyStore,
    trace: Trace, unplugs: Moment? = nil
  ) {
    let authenticator = Authenticator(configuration: configuration, store: store, trace: trace)
    let device = CTAPHIDDevice(
      authenticator: authenticator,
      pipe: HIDPipe(descriptor: descriptor, line: line),
      unplugs: unplugs)
    device.run()
    trace.write("UNPLUGGED")
  }
}

/// Runs `body` on a new, detached thread.
///
/// - Throws: `VirtualKeyError.system` if no thread can be created.
public func startThread(_ body: @escaping @Sendable () -> Void) throws(VirtualKeyError) {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = unsafe Unmanaged.passRetained(Box(body))
  let code = unsafe pthread_create(
    &thread, nil,
    { context in
      guard let context = unsafe context else { return nil }
      let box = unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
      box.body()
      return nil
    }, box.toOpaque())
  guard code == 0 else {
    unsafe box.release()
    throw .system(operation: "pthread_create", errno: code)
  }
  pthread_detach(thread)
}

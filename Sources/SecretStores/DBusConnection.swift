internal import CLinux
internal import CSystemd
internal import Glibc
internal import SecretMemory

/// A connection to a message bus: one call at a time, each with a time limit.
///
/// sd-bus writes to the socket, but what arrives is read here and passed on in pieces. Otherwise
/// one call of `sd_bus_process` lasts as long as a peer keeps sending what sd-bus drops, past any
/// time limit, and a message may claim 128 MiB (docs/decisions/0038).
@safe struct DBusConnection: ~Copyable {
  private let sdBus: keybackup_sd_bus
  private let bus: OpaquePointer
  private let socket: Int32
  /// The end of a socket pair from whose other end sd-bus reads.
  private let input: Int32
  private let isInterrupted: @Sendable () -> Bool
  private var piece = SecretBytes(zeroed: pieceSize)
  /// The bytes passed on since the last message.
  private var received = 0
  /// Hello, which sd-bus sends by itself, is number 1.
  private var serial: UInt64 = 1
  private var deadline: Int64 = 0

  /// Connects and authenticates.
  ///
  /// - Parameters:
  ///   - address: the message bus.
  ///   - seconds: the time limit in seconds.
  ///   - isInterrupted: asked a few times a second.
  /// - Returns: the connection.
  /// - Throws: ``SecretStoreError/noSessionBus``, ``SecretStoreError/busRefused``,
  ///   ``SecretStoreError/noBusLibrary``, and the errors of a call.
  static func open(
    _ address: SessionBus, seconds: Int, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(SecretStoreError) -> DBusConnection {
    var connection = try DBusConnection(
      socket: address.connect(), isInterrupted: isInterrupted)
    connection.allow(seconds)
    try connection.start()
    return connection
  }

  /// Takes over the socket, and closes it if it fails.
  private init(
    socket: Int32, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(SecretStoreError) {
    var pair: [Int32] = [-1, -1]
    var bus: OpaquePointer?
    let sdBus: keybackup_sd_bus
    do throws(SecretStoreError) {
      sdBus = try SystemdBus.functions()
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard unsafe socketpair(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0, &pair) == 0 else {
        throw .system(errno)
      }
      try unsafe SystemdBus.check(sdBus.sd_bus_new(&bus))
      guard let made = unsafe bus else { throw .system(ENOMEM) }
      unsafe self.bus = made
    } catch {
      for descriptor in [socket] + pair where descriptor >= 0 { close(descriptor) }
      throw error
    }
    self.sdBus = sdBus
    self.socket = socket
    input = pair[0]
    self.isInterrupted = isInterrupted
    // From here on sd-bus closes these two.
    _ = unsafe sdBus.sd_bus_set_fd(bus, pair[1], socket)
  }

  deinit {
    wipe()
    unsafe sdBus.sd_bus_close(bus)
    unsafe _ = sdBus.sd_bus_unref(bus)
    close(input)
  }

  static let bus = "org.freedesktop.DBus"
  private static let pieceSize = 4096
  /// The most, in bytes, that is read for one message.
  static let largest = 1 << 20

  /// Sets the time limit for the following calls.
  mutating func allow(_ seconds: Int) { deadline = Self.now() + Int64(seconds) * 1000 }

  /// Authenticates as this process's user and says Hello, as every client of a bus does.
  private mutating func start() throws(SecretStoreError) {
    try unsafe SystemdBus.check(sdBus.sd_bus_set_bus_client(bus, 1))
    try unsafe SystemdBus.check(sdBus.sd_bus_negotiate_fds(bus, 0))
    try unsafe SystemdBus.check(sdBus.sd_bus_start(bus))
    while unsafe sdBus.sd_bus_is_ready(bus) <= 0 { _ = try process() }
  }

  /// Begins a method call.
  func makeCall(
    _ path: String, _ interface: String, _ member: String, to destination: String
  ) throws(SecretStoreError) -> DBusCall {
    var message: OpaquePointer?
    try unsafe SystemdBus.check(
      sdBus.sd_bus_message_new_method_call(bus, &message, destination, path, interface, member))
    guard let message = unsafe message else { throw .system(ENOMEM) }
    return unsafe DBusCall(sdBus, message)
  }

  /// Makes a call and waits for its answer.
  ///
  /// - Parameters:
  ///   - call: the call to make.
  ///   - secret: the secret in it.
  /// - Returns: the answer.
  /// - Throws: ``SecretStoreError/serviceFailed(_:)`` for an error, or its conversion by
  ///   ``error(_:)``; ``SecretStoreError/timedOut``, ``SecretStoreError/interrupted``.
  mutating func call(
    _ call: consuming DBusCall, secret: borrowing SecretBytes = SecretBytes(zeroed: 0)
  ) throws(SecretStoreError) -> DBusReply {
    try post(call, secret: secret)
    while true {
      let message = try receive()
      guard message.replySerial == serial else { continue }
      if let name = message.errorName { throw Self.error(name) }
      return message
    }
  }

  /// Sends a call without waiting for an answer.
  mutating func post(
    _ call: consuming DBusCall, secret: borrowing SecretBytes = SecretBytes(zeroed: 0)
  ) throws(SecretStoreError) {
    serial += 1
    try unsafe call.send(bus, serial: serial, secret: secret)
  }

  /// Makes a call and waits for the signal that reports its completion, which may precede its
  /// answer.
  ///
  /// - Parameters:
  ///   - call: the call to make.
  ///   - member: the signal's name.
  ///   - path: the object that sends the signal.
  /// - Returns: the signal.
  /// - Throws: as ``call(_:secret:)``.
  mutating func call(
    _ call: consuming DBusCall, until member: String, from path: String
  ) throws(SecretStoreError) -> DBusReply {
    try post(call)
    while true {
      let message = try receive()
      if message.isSignal(member, from: path) { return message }
      if message.replySerial == serial, let name = message.errorName { throw Self.error(name) }
    }
  }

  private static func error(_ name: String) -> SecretStoreError {
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.Spawn.ServiceNotFound":
      .noSecretService
    case "org.freedesktop.Secret.Error.IsLocked": .locked
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout": .timedOut
    default: .serviceFailed(name)
    }
  }

  // MARK: Messages

  private mutating func receive() throws(SecretStoreError) -> DBusReply {
    while true { if let message = try process() { return message } }
  }

  /// Lets sd-bus do one thing, and waits for more from the bus if it has nothing left to do.
  private mutating func process() throws(SecretStoreError) -> DBusReply? {
    var message: OpaquePointer?
    let result = unsafe sdBus.sd_bus_process(bus, &message)
    try SystemdBus.check(result)
    if let message = unsafe message {
      received = 0
      return unsafe DBusReply(sdBus, message)
    }
    if result == 0 { try passOn() }
    return nil
  }

  /// Passes on what has arrived, at most one piece.
  private mutating func passOn() throws(SecretStoreError) {
    try wait(for: Int32(POLLIN) | (unsafe sdBus.sd_bus_get_events(bus) & Int32(POLLOUT)))
    let (socket, input) = (socket, input)
    let count = unsafe piece.withUnsafeMutableBytes { place in
      let count = unsafe recv(socket, place.baseAddress, place.count, 0)
      // sd-bus has read all that was there, so there is room.
      return unsafe count <= 0
        || send(input, place.baseAddress, count, Int32(MSG_NOSIGNAL)) == count ? count : 0
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    // The bus closed the connection.
    guard count > 0 else { throw .noSessionBus }
    // It may hold a secret.
    piece.resize(to: 0)
    piece.resize(to: Self.pieceSize)
    received += count
    guard received <= Self.largest else { throw .protocolViolation("size") }
  }

  /// Completes what arrived of a message, with zeroes: sd-bus wipes a whole message, and frees a
  /// part of one as it is.
  private func wipe() {
    let zeroes = [UInt8](repeating: 0, count: Self.pieceSize)
    // Each turn takes up to 4 KiB and a message has at most 1 MiB; zeroes alone are an error.
    for _ in 0..<1024 {
      var message: OpaquePointer?
      let result = unsafe sdBus.sd_bus_process(bus, &message)
      if let message = unsafe message { _ = unsafe DBusReply(sdBus, message) }
      if result < 0 { return }
      if result == 0, unsafe send(input, zeroes, zeroes.count, Int32(MSG_NOSIGNAL)) < 0 { return }
    }
  }

  private func wait(for events: Int32) throws(SecretStoreError) {
    while true {
      if isInterrupted() { throw .interrupted }
      let left = deadline - Self.now()
      guard left > 0 else { throw .timedOut }
      var ready = pollfd(fd: socket, events: Int16(events), revents: 0)
      if unsafe poll(&ready, 1, Int32(min(left, 100))) > 0 { return }
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

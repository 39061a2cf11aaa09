internal import CLinux
internal import Glibc
internal import SecretMemory

/// A connection to a message bus: one call at a time, each with a time limit.
///
/// Messages are read into guarded memory, and a secret is sent from there, so it leaves no copy in
/// this process.
struct DBusConnection: ~Copyable {
  private let socket: Int32
  private let isInterrupted: @Sendable () -> Bool
  private var serial: UInt32 = 0
  private var deadline: Int64 = 0

  /// Connects and authenticates.
  ///
  /// - Parameters:
  ///   - bus: the message bus.
  ///   - seconds: the time limit in seconds.
  ///   - isInterrupted: asked a few times a second.
  /// - Returns: the connection.
  /// - Throws: ``SecretStoreError/noSessionBus``, ``SecretStoreError/busRefused``, and the errors
  ///   of a call.
  static func open(
    _ bus: SessionBus, seconds: Int, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(SecretStoreError) -> DBusConnection {
    var connection = DBusConnection(socket: try bus.connect(), isInterrupted: isInterrupted)
    connection.allow(seconds)
    try connection.authenticate()
    let hello = DBusCall(
      path: "/org/freedesktop/DBus", interface: Self.bus, member: "Hello", destination: Self.bus)
    _ = try connection.call(hello)
    return connection
  }

  private init(socket: Int32, isInterrupted: @escaping @Sendable () -> Bool) {
    self.socket = socket
    self.isInterrupted = isInterrupted
  }

  deinit { close(socket) }

  static let bus = "org.freedesktop.DBus"

  /// Sets the time limit for the following calls.
  mutating func allow(_ seconds: Int) { deadline = Self.now() + Int64(seconds) * 1000 }

  /// Authenticates as this process's user with EXTERNAL (Authentication Protocol).
  private func authenticate() throws(SecretStoreError) {
    let digits = Hex.string(Array(String(geteuid()).utf8))
    try send(Array("\0AUTH EXTERNAL \(digits)\r\n".utf8))
    // Read byte by byte: the bytes after the line belong to the first message.
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      guard line.count < 512 else { throw .protocolViolation("authentication") }
      var byte = SecretBytes(zeroed: 1)
      try receive(into: &byte)
      byte.withBytes { line.append(unsafe $0.unsafeLoad(as: UInt8.self)) }
    }
    guard line.starts(with: Array("OK ".utf8)) else { throw .busRefused }
    try send(Array("BEGIN\r\n".utf8))
  }

  /// Makes a call and waits for its answer.
  ///
  /// - Parameters:
  ///   - call: the call to make.
  ///   - secret: the bytes for ``DBusBody/secretPlace``.
  /// - Returns: the answer.
  /// - Throws: ``SecretStoreError/serviceFailed(_:)`` for an error, or its conversion by
  ///   ``error(_:)``; ``SecretStoreError/timedOut``, ``SecretStoreError/interrupted``.
  mutating func call(
    _ call: DBusCall, secret: borrowing SecretBytes = SecretBytes(zeroed: 0)
  ) throws(SecretStoreError) -> DBusReply {
    try post(call, secret: secret)
    while true {
      let reply = try receive()
      guard reply.replySerial == serial else { continue }
      switch reply.kind {
      case .answer: return reply
      case .error: throw Self.error(reply.errorName)
      case .call, .signal, .unknown: continue
      }
    }
  }

  /// Sends a call without waiting for an answer.
  mutating func post(
    _ call: DBusCall, secret: borrowing SecretBytes = SecretBytes(zeroed: 0)
  ) throws(SecretStoreError) {
    serial += 1
    try send(call.header(serial: serial))
    let body = call.body.bytes
    guard let place = call.body.secretPlace else { return try send(body) }
    precondition(place.count == secret.count, "a place of the secret's size")
    try send(Array(body[..<place.lowerBound]))
    try secret.withBytes { (bytes) throws(SecretStoreError) in try send(bytes) }
    try send(Array(body[place.upperBound...]))
  }

  /// Makes a call and waits for the signal that reports its completion, which may precede its
  /// answer.
  ///
  /// - Parameters:
  ///   - call: the call to make; the signal comes from the same object.
  ///   - member: the signal's name.
  /// - Returns: the signal.
  /// - Throws: as ``call(_:secret:)``.
  mutating func call(
    _ call: DBusCall, until member: String
  ) throws(SecretStoreError) -> DBusReply {
    try post(call)
    while true {
      let message = try receive()
      switch message.kind {
      case .error where message.replySerial == serial: throw Self.error(message.errorName)
      case .signal where message.member == member && message.path == call.path: return message
      default: continue
      }
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

  // MARK: Bytes

  private func receive() throws(SecretStoreError) -> DBusReply {
    var prefix = SecretBytes(zeroed: DBusReply.prefixSize)
    try receive(into: &prefix)
    let size = try prefix.withBytes { (bytes) throws(SecretStoreError) in
      try DBusReply.size(prefix: bytes)
    }
    var message = prefix
    message.reserve(size)
    message.resize(to: size)
    try receive(into: &message, from: DBusReply.prefixSize)
    return try DBusReply(message)
  }

  private func receive(
    into bytes: inout SecretBytes, from start: Int = 0
  ) throws(SecretStoreError) {
    var filled = start
    while filled < bytes.count {
      try wait(for: POLLIN)
      let count = unsafe bytes.withUnsafeMutableBytes { place in
        unsafe recv(
          socket, UnsafeMutableRawBufferPointer(rebasing: place[filled...]).baseAddress,
          place.count - filled, 0)
      }
      if count > 0 {
        filled += count
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        // The bus closed the connection.
        throw .noSessionBus
      }
    }
  }

  private func send(_ bytes: [UInt8]) throws(SecretStoreError) { try unsafe send(bytes.span.bytes) }

  private func send(_ bytes: RawSpan) throws(SecretStoreError) {
    var sent = 0
    while sent < bytes.byteCount {
      let count = unsafe bytes.extracting(sent..<bytes.byteCount).withUnsafeBytes { rest in
        unsafe Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(for: POLLOUT)
      } else if errno != EINTR {
        throw .noSessionBus
      }
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

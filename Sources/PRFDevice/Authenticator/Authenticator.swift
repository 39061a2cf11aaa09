// This folder is for one opened authenticator, a file for each group of CTAP commands, and
// checks of all it answers. Callers open one and run operations. Finding and choosing one
// is not done here, and nobody is asked anything.

internal import CFido2

/// One opened authenticator. Every operation of one use (pre-flight, PIN
/// retries, evaluation) goes through the same handle.
///
/// Calls block on a thread that belongs to the value. Cancelling the
/// surrounding task ends an operation within about 0.1 seconds, also while the
/// key waits for a touch, and surfaces as ``PRFDeviceError/cancelled``.
///
/// After ``PRFDeviceError/authenticatorLost``, ``PRFDeviceError/noAnswer`` or
/// ``PRFDeviceError/transport(code:)`` the value is of no more use: open
/// another one.
public actor Authenticator {
  /// How an authenticator is used.
  public struct Options: Sendable {
    /// How long an operation that asks for a touch may take in all, and one
    /// that lists or deletes credentials.
    public var touchTimeout: Duration = .seconds(30)
    /// How long any other operation may take, opening included.
    public var answerTimeout: Duration = .seconds(5)
    /// Read the PIN retries before a PIN is sent, unless they are known.
    ///
    /// It costs one command, and turns a blocked PIN into
    /// ``PRFDeviceError/pinBlocked`` without spending anything.
    public var readsPINRetries = true
    /// How soon no key ends a wait for a touch by itself.
    ///
    /// Some answer "denied" when their own time is over, 30 seconds mostly, and CTAP
    /// has no other way to tell that from a refusal. A key that takes its PIN from us
    /// has nothing to refuse with, or somebody before it who needs no 10 seconds.
    package var leastTouchTime: Duration = .seconds(10)
    /// Have libfido2 write every frame to standard error.
    public var traces = false

    /// The usual options.
    public init() {}
  }

  private let executor: any SerialExecutor
  /// The executor's thread, unless the executor came with its own.
  private let thread: DeviceThread?
  private nonisolated let watch: OperationWatch
  let link: DeviceLink
  let touchNotice = TouchNotice()
  let options: Options

  private enum State: ~Copyable {
    case open(DeviceHandle)
    case lost
    case closed
  }

  private var state: State = .closed
  /// PIN retries, while no PIN was sent since they were read.
  var knownRetries: Int?
  /// The answer of getInfo, while nothing changed it.
  var knownInfo: AuthenticatorInfo?

  /// The executor that owns the device's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens an authenticator: 1 INIT and 1 command (getInfo).
  ///
  /// - Throws: ``PRFDeviceError/permissionDenied(path:)``,
  ///   ``PRFDeviceError/busy``, ``PRFDeviceError/authenticatorLost``,
  ///   ``PRFDeviceError/notFIDO2``, ``PRFDeviceError/noAnswer``,
  ///   ``PRFDeviceError/cancelled``.
  public static func open(
    _ descriptor: AuthenticatorDescriptor, options: Options = Options()
  ) async throws(PRFDeviceError) -> Authenticator {
    switch descriptor.way {
    case .libfido2(let entry):
      try await open(
        descriptor.transport == .usb
          ? .file(descriptor.path) : .libfido2(entry, path: descriptor.path), options: options)
    case .reader(let name):
      try await open(.card(CardLink(reader: name, path: descriptor.path)), options: options)
    }
  }

  /// Opens an authenticator behind another transport.
  ///
  /// - Parameters:
  ///   - transport: the way to it.
  ///   - options: how it is used.
  ///   - executor: runs every call, in the place of a thread of its own. Then
  ///     nothing watches the time, and the transport must not block.
  /// - Returns: the opened authenticator.
  /// - Throws: as ``open(_:options:)``.
  package static func open(
    over transport: any HIDTransport, options: Options = Options(),
    on executor: (any SerialExecutor)? = nil
  ) async throws(PRFDeviceError) -> Authenticator {
    try await open(.transport(transport), options: options, on: executor)
  }

  /// Opens a card behind another channel than PC/SC; see
  /// ``open(over:options:on:)-(HIDTransport,_,_)``.
  package static func open(
    over channel: any CardChannel, options: Options = Options(),
    on executor: (any SerialExecutor)? = nil
  ) async throws(PRFDeviceError) -> Authenticator {
    try await open(.card(CardLink(over: channel)), options: options, on: executor)
  }

  private static func open(
    _ link: DeviceLink, options: Options, on executor: (any SerialExecutor)? = nil
  ) async throws(PRFDeviceError) -> Authenticator {
    let authenticator = try Authenticator(link, options: options, executor)
    try await authenticator.operation(.answer) { authenticator throws(PRFDeviceError) in
      try authenticator.start()
    }
    return authenticator
  }

  private init(
    _ link: DeviceLink, options: Options, _ executor: (any SerialExecutor)?
  ) throws(PRFDeviceError) {
    self.link = link
    self.options = options
    watch = OperationWatch()
    if let executor {
      thread = nil
      self.executor = executor
    } else {
      let thread = try DeviceThread()
      self.thread = thread
      self.executor = thread.executor
      try watch.start()
    }
  }

  deinit {
    watch.stop()
  }

  /// libfido2 keeps its log and this flag per thread.
  private static nonisolated func prepareThread(traces: Bool) {
    fido_init((traces ? FIDO_DEBUG : 0) | FIDO_DISABLE_U2F_FALLBACK)
    if !traces {
      // FIDO_DEBUG in the environment would switch the log on as well.
      unsafe fido_set_log_handler { _ in }
    }
  }

  private func start() throws(PRFDeviceError) {
    Self.prepareThread(traces: options.traces)
    let device = try link.open(timeout: options.answerTimeout, touchNotice)
    guard unsafe fido_dev_is_fido2(device.pointer) else { throw .notFIDO2 }
    state = .open(device)
  }

  /// Closes the device, so that another process can use it at once.
  public func close() {
    state = .closed
    link.release()
  }

  /// Whether the authenticator has been in reach ever since it was opened; sends
  /// it nothing.
  public func isInReach() -> Bool {
    switch state {
    case .open: link.isConnected
    case .lost: false
    case .closed: false
    }
  }

  // MARK: Operations

  /// How long an operation may take, and what exceeding it means.
  enum Limit {
    case touch
    case answer
    /// As long as a touch may take, for who knows how many commands without one.
    case answers
  }

  /// Runs an operation of one or more calls on the device's thread; the task's
  /// cancellation and the limit end it.
  ///
  /// The caller waits outside the actor, so that it is free even when the
  /// thread is stuck.
  nonisolated func operation<R: Sendable>(
    _ limit: Limit,
    _ body: @escaping @Sendable (isolated Authenticator) throws(PRFDeviceError) -> R
  ) async throws(PRFDeviceError) -> R {
    let operation = DeviceOperation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let first = FirstResult<R>(continuation)
        operation.wait { first.resume(.failure($0)) }
        operation.runner = Task { first.resume(await run(operation, limit, body)) }
      }
    } onCancel: {
      operation.cancel()
      watch.wake()
    }
    // Until the task is over it keeps this value alive, and with it the device
    // open; a caller that lets go of it may end the process next.
    if !operation.wasGivenUp { await operation.runner?.value }
    switch result {
    case .success(let value): return value
    case .failure(.noAnswer) where limit == .touch: throw .touchTimeout
    case .failure(let error): throw error
    }
  }

  private func run<R>(
    _ operation: DeviceOperation, _ limit: Limit,
    _ body: @Sendable (isolated Authenticator) throws(PRFDeviceError) -> R
  ) -> Result<R, PRFDeviceError> {
    guard operation.start() else { return .failure(.cancelled) }
    watch.begin(
      operation, timeout: limit == .answer ? options.answerTimeout : options.touchTimeout)
    defer { watch.end() }
    do throws(PRFDeviceError) {
      return .success(try body(self))
    } catch {
      return .failure(error)
    }
  }

  /// Runs an operation that waits for a touch, and tells when it does.
  nonisolated func touchOperation<R: Sendable>(
    _ announce: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable (isolated Authenticator) throws(PRFDeviceError) -> R
  ) async throws(PRFDeviceError) -> R {
    try await operation(.touch) { me throws(PRFDeviceError) in
      me.touchNotice.begin(announce)
      defer { me.touchNotice.end() }
      return try body(me)
    }
  }

  /// Runs a call that waits for a touch which nobody can refuse on the key: one that
  /// refuses late was not touched in time.
  func unrefusable<R>(_ body: () throws(PRFDeviceError) -> R) throws(PRFDeviceError) -> R {
    do throws(PRFDeviceError) {
      return try body()
    } catch .denied where touchNotice.hasWaited(options.leastTouchTime) {
      throw .touchTimeout
    } catch {
      throw error
    }
  }

  /// Runs one libfido2 call and tells its failures apart.
  func call(_ body: (OpaquePointer) -> Int32) throws(PRFDeviceError) {
    preconditionIsolated("libfido2 keeps state per thread")
    if let ending = watch.ending { throw ending.error }
    let status: FIDOStatus
    switch state {
    case .open(let device): status = unsafe watch.during(device.pointer, body)
    case .lost: throw .authenticatorLost
    case .closed: throw .closed
    }
    guard !status.isOK else { return }
    let ending = watch.ending
    if status.isTransportFailure {
      // The answer may still come, and would be taken for the next one's.
      state = .lost
    }
    // Any error that follows a cancellation is the cancellation's.
    if let ending { throw ending.error }
    // Some of libfido2's calls report a dead connection as an internal error.
    if status.code < 0, link.isLost {
      state = .lost
      throw .authenticatorLost
    }
    throw status.error
  }

  /// What is left of the operation's time, for the calls that take it as an
  /// argument.
  var millisecondsLeft: Int32 { watch.millisecondsLeft }

  /// What the opening told, without another command.
  func device<R>(_ body: (OpaquePointer) -> R) throws(PRFDeviceError) -> R {
    switch state {
    case .open(let device): return unsafe body(device.pointer)
    case .lost: throw .authenticatorLost
    case .closed: throw .closed
    }
  }
}

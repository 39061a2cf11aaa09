// This folder is for one opened authenticator, with one file for each group of CTAP commands, and
// for checks of all its answers. Callers open one and run operations. Finding and selecting one is
// not done here, and the user is asked nothing.

internal import CFido2

/// One opened authenticator.
///
/// Every operation of one use (pre-flight, PIN retries, evaluation) goes through the same handle.
/// Calls block on a thread that belongs to the value. Cancelling the surrounding task ends an
/// operation within about 0.1 seconds, even while the key waits for a touch, and causes
/// ``PRFDeviceError/cancelled``.
///
/// After ``PRFDeviceError/authenticatorLost``, ``PRFDeviceError/noAnswer`` or
/// ``PRFDeviceError/transport(code:)`` the value can no longer be used: open another one.
public actor Authenticator {
  /// The options of an authenticator.
  public struct Options: Sendable {
    /// The total time for an operation that needs a touch, or one that lists or deletes
    /// credentials.
    public var touchTimeout: Duration = .seconds(30)
    /// The time for any other operation, including opening.
    public var answerTimeout: Duration = .seconds(5)
    /// Whether the PIN retries, unless known, are read before a PIN is sent.
    ///
    /// That takes one command, and reports a blocked PIN as ``PRFDeviceError/pinBlocked`` without
    /// using a try.
    public var readsPINRetries = true
    /// The time within which no key ends a wait for a touch by itself; a later denial is a timeout.
    ///
    /// Some keys answer "denied" when their own time is over, usually 30 seconds. CTAP cannot
    /// distinguish that from a refusal. A key that gets its PIN from us has no means to refuse, or
    /// else a user in front of it. That user needs less than 10 seconds.
    package var leastTouchTime: Duration = .seconds(10)
    /// Whether libfido2 writes every frame to standard error.
    public var traces = false

    /// Creates the usual options.
    public init() {}
  }

  private let executor: any SerialExecutor
  /// The executor's thread, unless the caller provided the executor.
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
  /// The PIN retries, while no PIN was sent since they were read.
  var knownRetries: Int?
  /// The answer of getInfo, while nothing has changed it.
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
  ///   - transport: the transport to it.
  ///   - options: its options.
  ///   - executor: runs every call, instead of a thread of the authenticator. Then nothing limits
  ///     the time, and the transport must not block.
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

  /// Sets up libfido2's log and flags, which it keeps per thread.
  private static nonisolated func prepareThread(traces: Bool) {
    fido_init((traces ? FIDO_DEBUG : 0) | FIDO_DISABLE_U2F_FALLBACK)
    if !traces {
      // FIDO_DEBUG in the environment would enable the log as well.
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

  /// Whether the authenticator has been connected ever since it was opened; sends nothing to it.
  public func isInReach() -> Bool {
    switch state {
    case .open: link.isConnected
    case .lost: false
    case .closed: false
    }
  }

  // MARK: Operations

  /// The time limit of an operation, and the meaning of exceeding it.
  enum Limit {
    case touch
    case answer
    /// The time limit of a touch, for an unknown number of commands without one.
    case answers
  }

  /// Runs an operation of one or more calls on the device's thread, until cancellation or the limit
  /// ends it.
  ///
  /// The caller waits outside the actor, so it is released even when the thread is stuck.
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
    // Until the task ends it keeps this value alive, and thus the device open; a caller that
    // releases it may end the process next.
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

  /// Runs an operation that waits for a touch, and announces the wait.
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

  /// Runs a call that waits for a touch that nobody can refuse on the key.
  ///
  /// A late refusal means that the key was not touched in time.
  func unrefusable<R>(_ body: () throws(PRFDeviceError) -> R) throws(PRFDeviceError) -> R {
    do throws(PRFDeviceError) {
      return try body()
    } catch .denied where touchNotice.hasWaited(options.leastTouchTime) {
      throw .touchTimeout
    } catch {
      throw error
    }
  }

  /// Runs one libfido2 call and converts its failures.
  ///
  /// - Parameters:
  ///   - isSilent: whether it sends no PIN, waits for no touch and stores nothing.
  ///   - body: the call.
  /// - Throws: the error of its status.
  func call(
    isSilent: Bool = false, _ body: (OpaquePointer) -> Int32
  ) throws(PRFDeviceError) {
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
      // The answer may still arrive and would be taken for the next call's.
      state = .lost
    }
    // Any error after a cancellation is caused by it.
    if let ending { throw ending.error }
    // Some of libfido2's calls report a dead connection as an internal error.
    if status.code < 0, link.isLost {
      state = .lost
      throw .authenticatorLost
    }
    throw isSilent ? status.errorOfSilentCall : status.error
  }

  /// The time left for the operation, for calls that take it as an argument.
  var millisecondsLeft: Int32 { watch.millisecondsLeft }

  /// Passes the open device to a query that needs no command.
  func device<R>(_ body: (OpaquePointer) -> R) throws(PRFDeviceError) -> R {
    switch state {
    case .open(let device): return unsafe body(device.pointer)
    case .lost: throw .authenticatorLost
    case .closed: throw .closed
    }
  }
}

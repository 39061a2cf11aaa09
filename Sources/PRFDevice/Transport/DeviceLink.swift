// This folder is for the transport of bytes to an authenticator: device file, card, or a test's
// own. Authenticator opens a DeviceLink. The meaning of the bytes is not known here, except when
// they wait for a touch.

internal import CFido2
internal import Glibc

/// The link of a handle to its authenticator.
enum DeviceLink: Sendable {
  /// A device file at this path.
  case file(String)
  /// A device that libfido2 opens by itself: a card behind the kernel's NFC.
  case libfido2(DeviceEntry, path: String)
  case card(CardLink)
  case transport(any HIDTransport)

  /// Whether the authenticator is still connected.
  ///
  /// After unplugging, the read fails some milliseconds before the device file disappears, so
  /// `false` may take a moment.
  var isConnected: Bool {
    switch self {
    case .file(let path), .libfido2(_, let path):
      return HIDDeviceFile.exists(path)
    case .card(let link):
      return link.isConnected
    case .transport(let transport):
      return transport.isConnected
    }
  }

  /// Whether the authenticator is gone now or within a quarter of a second.
  var isLost: Bool {
    if case .card(let link) = self { return link.isLost }
    for _ in 0..<5 {
      if !isConnected { return true }
      usleep(50_000)
    }
    return false
  }

  /// Whether this program can observe the commands sent to the authenticator.
  var showsCommands: Bool {
    if case .libfido2 = self { false } else { true }
  }

  /// Releases a device whose handle was closed; a card is held until then.
  func release() {
    if case .card(let link) = self { link.close() }
  }

  /// Creates and opens libfido2's handle: INIT and getInfo.
  ///
  /// - Parameters:
  ///   - timeout: the time limit.
  ///   - notice: is notified of each request that is sent from then on.
  /// - Returns: the handle.
  /// - Throws: the errors of opening.
  func open(timeout: Duration, _ notice: TouchNotice) throws(PRFDeviceError) -> DeviceHandle {
    let deadline = MonotonicTime.now().advanced(by: timeout)
    switch self {
    case .file(let path):
      return try open(over: HIDDeviceFile(path), by: deadline, notice)
    case .transport(let transport):
      return try open(over: transport, by: deadline, notice)
    case .libfido2(let entry, _):
      let device = try entry.makeHandle()
      _ = unsafe fido_dev_set_timeout(device.pointer, deadline.millisecondsLeft)
      try check(FIDOStatus(code: unsafe fido_dev_open_with_info(device.pointer)), deadline)
      return device
    case .card(let link):
      let device = try DeviceHandle()
      _ = unsafe fido_dev_set_timeout(device.pointer, deadline.millisecondsLeft)
      let transport = try link.connect(notice)
      let status = device.open(over: transport)
      // A card that only supports U2F rejects the first CTAP2 command.
      if !status.isOK, case .refused? = transport.lastFailure { throw .notFIDO2 }
      try check(status, deadline)
      return device
    }
  }

  private func open(
    over transport: any HIDTransport, by deadline: MonotonicTime, _ notice: TouchNotice
  ) throws(PRFDeviceError) -> DeviceHandle {
    let device = try DeviceHandle()
    var functions = fido_dev_io_t.transports
    _ = unsafe fido_dev_set_io_functions(device.pointer, &functions)
    _ = unsafe fido_dev_set_timeout(device.pointer, deadline.millisecondsLeft)
    let path = OpenTransports.table.register(NoticedTransport(transport, notice))
    defer { OpenTransports.table.unregister(path) }
    try check(FIDOStatus(code: unsafe fido_dev_open(device.pointer, path)), deadline)
    return device
  }

  private func check(
    _ status: FIDOStatus, _ deadline: MonotonicTime
  ) throws(PRFDeviceError) {
    guard !status.isOK else { return }
    guard status.isTransportFailure || status.code == FIDO_ERR_INTERNAL else {
      throw status.errorOfSilentCall
    }
    let isLate = MonotonicTime.now() >= deadline
    if isLost { throw .authenticatorLost }
    // A key may be in use by a program that takes no lock, such as a browser. The key reports this
    // below CTAP, where libfido2 sees only an invalid answer.
    throw isLate ? .noAnswer : .busy
  }
}

/// The transports that libfido2 is about to open in this process.
enum OpenTransports {
  static let table = OpenPathTable<NoticedTransport>(prefix: "transport:")
}

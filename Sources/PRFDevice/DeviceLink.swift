internal import CFido2
internal import Glibc

/// How a handle reaches its authenticator, and whether it still could.
enum DeviceLink: Sendable {
  case libfido2(DeviceEntry, path: String)
  case card(CardLink)
  case transport(any HIDTransport)

  /// Whether the authenticator is still in reach.
  ///
  /// Unplugging fails the read
  /// some milliseconds before the device file goes, so `false` may take a
  /// moment to be seen.
  var isConnected: Bool {
    switch self {
    case .libfido2(_, let path):
      let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard file < 0 else {
        close(file)
        return true
      }
      return errno == EACCES || errno == EPERM || errno == EBUSY
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

  /// Keeps nothing of a device whose handle was closed: a card is held until then.
  func release() {
    if case .card(let link) = self { link.close() }
  }

  /// Fails early, with the right error, where libfido2 would report an
  /// internal error (no permission) or wait 21 seconds (another process's
  /// lock) without a way to cancel it.
  static func probe(_ path: String) throws(PRFDeviceError) {
    let file = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      switch errno {
      case EACCES, EPERM: throw .permissionDenied(path: path)
      case EBUSY: throw .busy
      case ENOENT, ENODEV, ENXIO: throw .authenticatorLost
      default: throw .system(errno: Int(errno))
      }
    }
    defer { close(file) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK ? .busy : .system(errno: Int(errno))
    }
  }

  /// Makes and opens libfido2's handle: INIT and getInfo.
  func open(timeout: Duration) throws(PRFDeviceError) -> DeviceHandle {
    let deadline = MonotonicTime.now().advanced(by: timeout)
    switch self {
    case .libfido2(let entry, let path):
      // A card behind the kernel's NFC has no device file to look at.
      if path.hasPrefix("/dev/hidraw") { try Self.probe(path) }
      let device = try entry.makeHandle()
      _ = unsafe fido_dev_set_timeout(device.pointer, deadline.millisecondsLeft)
      try check(FIDOStatus(code: unsafe fido_dev_open_with_info(device.pointer)), deadline)
      return device
    case .card(let link):
      let device = try DeviceHandle()
      _ = unsafe fido_dev_set_timeout(device.pointer, deadline.millisecondsLeft)
      let transport = try link.connect()
      let status = device.open(over: transport)
      // A card that only knows U2F refuses the first CTAP2 command.
      if !status.isOK, case .refused? = transport.lastFailure { throw .notFIDO2 }
      try check(status, deadline)
      return device
    case .transport(let transport):
      let device = try DeviceHandle()
      var functions = fido_dev_io_t.transports
      _ = unsafe fido_dev_set_io_functions(device.pointer, &functions)
      _ = unsafe fido_dev_set_timeout(device.pointer, deadline.millisecondsLeft)
      let path = OpenPaths.transports.register(transport)
      defer { OpenPaths.transports.unregister(path) }
      try check(FIDOStatus(code: unsafe fido_dev_open(device.pointer, path)), deadline)
      return device
    }
  }

  private func check(
    _ status: FIDOStatus, _ deadline: MonotonicTime
  ) throws(PRFDeviceError) {
    guard !status.isOK else { return }
    guard status.isTransportFailure || status.code == FIDO_ERR_INTERNAL else {
      throw status.error
    }
    let isLate = MonotonicTime.now() >= deadline
    if isLost { throw .authenticatorLost }
    // A key that works for a program which takes no lock, such as a browser,
    // says so below CTAP, where libfido2 sees only that it is no answer.
    throw isLate ? .noAnswer : .busy
  }
}

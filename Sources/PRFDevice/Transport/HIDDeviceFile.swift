internal import Glibc
internal import Synchronization

/// The device file of a plugged-in authenticator, `/dev/hidraw*`, with 64-byte reports in each
/// direction, as every FIDO key has them.
///
/// libfido2's own access does not reveal the bytes it sends; see ``TouchNotice``.
final class HIDDeviceFile: HIDTransport {
  private let path: String
  private let file: Atomic<Int32>

  /// Opens the file and locks it, so that the device has one user at a time.
  ///
  /// - Throws: ``PRFDeviceError/permissionDenied(path:)``,
  ///   ``PRFDeviceError/busy`` while another process has the lock,
  ///   ``PRFDeviceError/authenticatorLost``, ``PRFDeviceError/system(errno:)``.
  init(_ path: String) throws(PRFDeviceError) {
    let file = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else {
      switch errno {
      case EACCES, EPERM: throw .permissionDenied(path: path)
      case EBUSY: throw .busy
      case ENOENT, ENODEV, ENXIO: throw .authenticatorLost
      default: throw .system(errno: Int(errno))
      }
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      Glibc.close(file)
      throw code == EWOULDBLOCK ? .busy : .system(errno: Int(code))
    }
    self.path = path
    self.file = Atomic(file)
  }

  deinit { close() }

  var isConnected: Bool { Self.exists(path) }

  /// Whether a device exists at the path, also one that this user may not use.
  static func exists(_ path: String) -> Bool {
    let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file < 0 else {
      Glibc.close(file)
      return true
    }
    return errno == EACCES || errno == EPERM || errno == EBUSY
  }

  func open() -> Bool { true }

  func close() {
    let file = file.exchange(-1, ordering: .acquiringAndReleasing)
    if file >= 0 { Glibc.close(file) }
  }

  func read(into report: inout MutableRawSpan, milliseconds: Int32) -> Bool {
    let file = file.load(ordering: .acquiring)
    var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, milliseconds) == 1 else { return false }
    return unsafe report.withUnsafeMutableBytes { buffer in
      unsafe Glibc.read(file, buffer.baseAddress, buffer.count) == buffer.count
    }
  }

  func write(_ report: RawSpan) -> Bool {
    // The kernel expects the report's number first; it is 0 because there is only one.
    let numbered = [0] + report.array()
    return unsafe Glibc.write(file.load(ordering: .acquiring), numbered, numbered.count)
      == numbered.count
  }
}

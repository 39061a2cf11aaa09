internal import CLinux
internal import Glibc

extension AuthenticatorList {
  /// Waits until an authenticator can be opened; returns at once if one can.
  ///
  /// Nothing is polled: the kernel and udev report new devices, and pcscd reports new cards.
  ///
  /// - Parameter duration: the longest wait; zero only checks once.
  /// - Returns: every authenticator then connected, at least one.
  /// - Throws: ``PRFDeviceError/noAuthenticator`` after the time,
  ///   ``PRFDeviceError/permissionDenied(path:)`` when there is one that may not be opened,
  ///   ``PRFDeviceError/cancelled`` when the task is cancelled.
  public static func waitForOne(
    upTo duration: Duration
  ) async throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    try await wait(upTo: duration) { !$0.isEmpty }
  }

  /// Waits until the connected authenticators satisfy a condition, for instance until another one
  /// was plugged in.
  ///
  /// - Parameters:
  ///   - duration: the longest wait; zero only checks once.
  ///   - isWanted: tests the authenticators connected now.
  /// - Returns: the authenticators that satisfied it.
  /// - Throws: as ``waitForOne(upTo:)``.
  public static func wait(
    upTo duration: Duration,
    until isWanted: @escaping @Sendable ([AuthenticatorDescriptor]) -> Bool
  ) async throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let deadline = MonotonicTime.now().advanced(by: duration)
    let wait = try HotplugWait()
    let result: Result<[AuthenticatorDescriptor], PRFDeviceError> =
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          do throws(PRFDeviceError) {
            try BackgroundThread.start {
              continuation.resume(returning: wait.run(until: deadline, isWanted))
            }
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      } onCancel: {
        wait.cancel()
      }
    return try result.get()
  }
}

/// One wait for devices to connect and disconnect, on its own thread.
private final class HotplugWait: Sendable {
  private let monitor: HotplugMonitor
  private let readers: ReaderMonitor
  /// An eventfd that a cancellation makes readable.
  private let cancellation: Int32

  init() throws(PRFDeviceError) {
    // Created before the first check, or a device connected in between would be missed.
    monitor = try HotplugMonitor()
    readers = try ReaderMonitor()
    cancellation = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard cancellation >= 0 else { throw .system(errno: Int(errno)) }
  }

  deinit {
    close(cancellation)
  }

  func cancel() {
    _ = eventfd_write(cancellation, 1)
  }

  func run(
    until deadline: MonotonicTime, _ isWanted: ([AuthenticatorDescriptor]) -> Bool
  ) -> Result<[AuthenticatorDescriptor], PRFDeviceError> {
    defer { readers.stop() }
    do throws(PRFDeviceError) {
      // A device that may not be opened now will stay so: report it at once.
      var found = try look()
      if found.isEmpty { try AuthenticatorList.requireAccess() }
      while !isWanted(found) {
        switch try sleep(until: deadline) {
        case .change: break
        case .cancelled: throw .cancelled
        case .timeout:
          // A new device is forbidden until udev has processed it; one that is still forbidden
          // stays so.
          if found.isEmpty { found = try AuthenticatorList.pluggedIn() + readers.authenticators() }
          guard isWanted(found) else { throw .noAuthenticator }
          return .success(found)
        }
        found = try look()
      }
      return .success(found)
    } catch {
      return .failure(error)
    }
  }

  private func look() throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    try AuthenticatorList.manifest() + readers.authenticators()
  }

  private enum Event {
    case change
    case cancelled
    case timeout
  }

  private func sleep(until deadline: MonotonicTime) throws(PRFDeviceError) -> Event {
    var files = (monitor.files + readers.files + [cancellation]).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while true {
      let count = unsafe poll(&files, nfds_t(files.count), deadline.millisecondsLeft)
      if count < 0 {
        guard errno == EINTR else { throw .system(errno: Int(errno)) }
        continue
      }
      if files[files.count - 1].revents != 0 { return .cancelled }
      if count == 0 { return .timeout }
      monitor.drain()
      readers.drain()
      return .change
    }
  }
}

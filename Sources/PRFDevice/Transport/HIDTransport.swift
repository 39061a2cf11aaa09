internal import CFido2

/// The transport of bytes to an authenticator below CTAPHID: 64-byte reports.
///
/// ``HIDDeviceFile`` is the one for USB; a test provides its own. `read` runs on the device's
/// thread, while `write` may also run on another thread, with a CANCEL.
package protocol HIDTransport: AnyObject, Sendable {
  /// Whether the authenticator is still connected.
  var isConnected: Bool { get }

  /// Prepares the transport; `false` makes the opening fail.
  func open() -> Bool

  /// Ends the use of the transport.
  func close()

  /// Waits for one report of 64 bytes.
  ///
  /// - Parameters:
  ///   - report: receives the report, 64 bytes.
  ///   - milliseconds: the longest wait; negative waits without end.
  /// - Returns: `true` when a report was written, `false` after the time or when the authenticator
  ///   is gone.
  func read(into report: inout MutableRawSpan, milliseconds: Int32) -> Bool

  /// Sends one report of 64 bytes.
  ///
  /// - Returns: `false` when the authenticator is gone.
  func write(_ report: RawSpan) -> Bool
}

/// libfido2's I/O handle: a transport, and the notice of the bytes that pass through it.
final class NoticedTransport: Sendable {
  let transport: any HIDTransport
  let notice: TouchNotice

  init(_ transport: any HIDTransport, _ notice: TouchNotice) {
    self.transport = transport
    self.notice = notice
  }
}

extension fido_dev_io_t {
  /// libfido2's four I/O functions over the transports of ``OpenTransports/table``.
  static var transports: fido_dev_io_t {
    unsafe fido_dev_io_t(
      open: { path in
        guard let path = unsafe path,
          let open = OpenTransports.table.find(unsafe String(cString: path)), open.transport.open()
        else { return nil }
        return unsafe Unmanaged.passRetained(open).toOpaque()
      },
      close: { handle in
        guard let handle = unsafe handle else { return }
        unsafe Unmanaged<NoticedTransport>.fromOpaque(handle).takeRetainedValue().transport.close()
      },
      read: { handle, buffer, count, milliseconds in
        guard let handle = unsafe handle, let buffer = unsafe buffer else { return -1 }
        let open = unsafe Unmanaged<NoticedTransport>.fromOpaque(handle).takeUnretainedValue()
        var report = unsafe MutableRawSpan(_unsafeStart: buffer, byteCount: count)
        return open.transport.read(into: &report, milliseconds: milliseconds) ? Int32(count) : -1
      },
      write: { handle, buffer, count in
        guard let handle = unsafe handle, let buffer = unsafe buffer, count > 1 else { return -1 }
        let open = unsafe Unmanaged<NoticedTransport>.fromOpaque(handle).takeUnretainedValue()
        // The first byte is HID's report number, always 0.
        let report = unsafe RawSpan(_unsafeStart: buffer, byteCount: count).extracting(
          droppingFirst: 1)
        open.notice.sends(packet: report)
        return open.transport.write(report) ? Int32(count) : -1
      })
  }
}

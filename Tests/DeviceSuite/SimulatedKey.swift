import PRFDevice
package import VirtualKey

/// A simulated key in this process, as PRFDevice's transport.
package final class SimulatedKey: HIDTransport {
  package let key: InProcessKey

  package init(_ key: InProcessKey) { self.key = key }

  /// Tests the connection with a CANCEL on the broadcast channel, which has no meaning to a key and
  /// cannot be sent to a disconnected one.
  package var isConnected: Bool {
    let report = [0, 0xFF, 0xFF, 0xFF, 0xFF, 0x91] + [UInt8](repeating: 0, count: 59)
    return unsafe report.withUnsafeBytes { unsafe key.write($0) } == 65
  }

  package func open() -> Bool {
    key.open()
    return true
  }

  package func close() { key.close() }

  package func read(into report: inout MutableRawSpan, milliseconds: Int32) -> Bool {
    unsafe report.withUnsafeMutableBytes { buffer in
      unsafe key.read(into: buffer, timeoutMilliseconds: Int(milliseconds)) == 64
    }
  }

  package func write(_ report: RawSpan) -> Bool {
    unsafe report.withUnsafeBytes { body in
      let withNumber = unsafe [0] + Array(body)
      return unsafe withNumber.withUnsafeBytes { unsafe key.write($0) } == 65
    }
  }
}

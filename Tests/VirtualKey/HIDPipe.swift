import Glibc

/// The line that carries a key's reports: the host's come in, the key's go out.
public enum HIDLine: Sendable {
  /// A packet socket: one packet is one report of 64 bytes.
  case packets
  /// The master of a pty: the host's reports arrive as a byte stream of 65 bytes each, since
  /// libfido2 prefixes the report ID.
  case terminal
  /// /dev/hidgN: the device side of a real USB interface, 64 bytes each.
  case gadget
}

/// The result of receiving from the host.
enum ReceivedReport: Equatable {
  /// 64 bytes, without the report ID.
  case report([UInt8])
  case timeout
  /// No other side can write any more.
  case closed
}

/// The key's end of the line with HID reports.
final class HIDPipe {
  private let descriptor: Int32
  private let line: HIDLine
  private var buffer: [UInt8] = []
  /// Whether the host did not fetch the last report, so that it will fetch no other.
  private var isStuck = false

  init(descriptor: Int32, line: HIDLine) {
    self.descriptor = descriptor
    self.line = line
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
  }

  /// Waits for a report, at most for the given time.
  func receive(timeoutMilliseconds: Int) -> ReceivedReport {
    let deadline = ContinuousClock.now + .milliseconds(timeoutMilliseconds)
    let size = line == .terminal ? 65 : 64
    while true {
      if buffer.count >= size {
        let report = Array(buffer.prefix(size).suffix(64))
        buffer.removeFirst(size)
        return .report(report)
      }
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return .timeout }
      let milliseconds =
        Int32(left.components.seconds * 1000)
        + Int32(left.components.attoseconds / 1_000_000_000_000_000) + 1
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, milliseconds) > 0 else { continue }
      if readSome() { continue }
      switch line {
      case .packets: return .closed
      case .terminal, .gadget:
        if entry.revents & Int16(POLLNVAL) != 0 { return .closed }
        if line == .terminal, entry.revents & Int16(POLLERR) != 0 { return .closed }
        // No client has the node open, or the host has not set up the device. As on a real bus,
        // data for the last client must not reach the next one.
        buffer = []
        if line == .terminal { tcflush(descriptor, TCOFLUSH) }
        usleep(1000)
      }
    }
  }

  /// Reads the available bytes; false at the end of the line.
  private func readSome() -> Bool {
    let count = unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { space in
      let count = unsafe read(descriptor, space.baseAddress, space.count)
      if count > 0 { unsafe buffer += space.prefix(count) }
      return count
    }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
  }

  /// Sends 64 bytes; drops them if nothing reads or the line is full.
  func send(_ report: [UInt8]) {
    switch line {
    case .gadget: sendToHost(report)
    case .terminal:
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      unsafe poll(&entry, 1, 0)
      guard entry.revents & Int16(POLLHUP) == 0 else { return }
      sendWhole(report)
    case .packets: sendWhole(report)
    }
  }

  private func sendWhole(_ report: [UInt8]) {
    var rest = report[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe put($0) }
      if count < 0, errno == EINTR { continue }
      // A report that was begun must be finished; otherwise it is dropped.
      if count < 0, errno == EAGAIN, rest.count < report.count {
        usleep(200)
        continue
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a report to a USB host.
  ///
  /// The host fetches a report every few milliseconds while the node is open, and none otherwise.
  private func sendToHost(_ report: [UInt8]) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let ready = unsafe poll(&entry, 1, isStuck ? 0 : 1000) > 0
    isStuck = !ready
    guard ready else { return }
    unsafe report.withUnsafeBytes { _ = unsafe put($0) }
  }

  private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe line == .packets
      ? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      : write(descriptor, bytes.baseAddress, bytes.count)
  }
}

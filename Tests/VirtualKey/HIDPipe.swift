#if canImport(Glibc)
import Glibc
#endif

/// What came from the host.
enum ReceivedReport: Equatable {
  /// 64 bytes, without the report ID.
  case report([UInt8])
  case timeout
  /// Nobody will ever write again.
  case closed
}

/// The key's end of the line that carries HID reports.
///
/// Either a packet socket, where one packet is one report of 64 bytes, or the
/// master of a pty, where the host's reports arrive as a byte stream of 65 bytes
/// each (libfido2 puts the report ID in front).
final class HIDPipe {
  enum Kind {
    case packets
    case terminal
  }

  private let descriptor: Int32
  private let kind: Kind
  private var buffer: [UInt8] = []

  init(descriptor: Int32, kind: Kind) {
    self.descriptor = descriptor
    self.kind = kind
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
  }

  /// Waits for a report, at most so long.
  func receive(timeoutMilliseconds: Int) -> ReceivedReport {
    let deadline = ContinuousClock.now + .milliseconds(timeoutMilliseconds)
    let size = kind == .packets ? 64 : 65
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
      switch readSome() {
      case .some: continue
      case .none where kind == .packets: return .closed
      case .none where entry.revents & Int16(POLLNVAL | POLLERR) != 0: return .closed
      case .none:
        // No client has the node open. What was meant for the last one must not
        // reach the next, as on a real bus.
        buffer = []
        tcflush(descriptor, TCOFLUSH)
        usleep(1000)
      }
    }
  }

  /// Reads what is there; nil at the end of the line.
  private func readSome() -> Int? {
    let count = unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { space in
      let count = unsafe read(descriptor, space.baseAddress, space.count)
      if count > 0 { unsafe buffer += space.prefix(count) }
      return count
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return 0 }
    return count > 0 ? count : nil
  }

  /// Sends 64 bytes; drops them if nobody listens or the line is full.
  func send(_ report: [UInt8]) {
    if kind == .terminal {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      unsafe poll(&entry, 1, 0)
      guard entry.revents & Int16(POLLHUP) == 0 else { return }
    }
    var rest = report[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe kind == .packets
          ? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
          : write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count < 0, errno == EINTR { continue }
      // A report that has begun must be finished; one that has not is dropped.
      if count < 0, errno == EAGAIN, rest.count < report.count {
        usleep(200)
        continue
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

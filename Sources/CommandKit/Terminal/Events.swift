internal import CLinux
internal import Glibc

/// The stream of `--events-fd`: one JSON object a line, written at once.
///
/// A reader that went away or does not read never stops the command: after
/// two seconds of a full pipe the stream ends where it is.
package struct Events: Sendable {
  /// The descriptor that the caller opened; nil: nobody listens.
  package let descriptor: Int32?
  /// The run that it tells of: it has one stream.
  private let run: Run

  /// How long a full pipe is waited for, in milliseconds.
  private static let patience: Int32 = 2000
  /// The bytes that a pipe with any room at all takes without blocking.
  private static let piece = 4096

  /// Why this descriptor cannot be written to; nil: it can.
  ///
  /// Keeps it from the programs that this one starts.
  package static func obstacle(_ descriptor: Int32) -> String? {
    if descriptor == STDOUT_FILENO { return "standard output is for the result" }
    if let obstacle = CallersDescriptors.obstacle(descriptor, for: .writing) { return obstacle }
    if descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return nil
  }

  /// The stream that these arguments ask for, even where the rest of them is
  /// wrong: the caller waits for the end.
  package init(arguments: [String], _ run: Run) {
    var named: String?
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { break }
      if argument == "--events-fd", index + 1 < arguments.count { named = arguments[index + 1] }
      if argument.hasPrefix("--events-fd=") { named = String(argument.dropFirst(12)) }
    }
    let number = named.flatMap { Int32($0) }
    self.init(descriptor: number.flatMap { Self.obstacle($0) == nil ? $0 : nil }, run)
  }

  package init(descriptor: Int32?, _ run: Run) { (self.descriptor, self.run) = (descriptor, run) }

  /// Writes one event; what cannot be written is dropped.
  package func send(_ event: Event) {
    guard let descriptor else { return }
    let line = Array((event.json.text + "\n").utf8)
    run.writeEvent {
      if event.isOptional, !Self.isWritable(descriptor, within: 0) { return true }
      return Self.write(line, to: descriptor)
    }
  }

  /// - Returns: whether all of it was written.
  private static func write(_ line: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < line.count {
      guard isWritable(descriptor, within: patience) else { return false }
      let rest = line[done...].prefix(piece)
      let count = unsafe rest.withUnsafeBytes { bytes in
        // Only a pipe with room is certain not to block.
        let sent = unsafe Glibc.send(
          descriptor, bytes.baseAddress, bytes.count,
          Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        return unsafe sent < 0 && errno == ENOTSOCK
          ? Glibc.write(descriptor, bytes.baseAddress, bytes.count) : sent
      }
      if count > 0 {
        done += count
      } else if errno != EINTR, errno != EAGAIN {
        return false
      }
    }
    return true
  }

  private static func isWritable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // Every signal is blocked here, or ignored: nothing interrupts the wait.
    return unsafe poll(&ready, 1, milliseconds) > 0
  }
}

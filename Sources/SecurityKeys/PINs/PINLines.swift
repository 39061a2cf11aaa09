internal import CommandKit
internal import Glibc
internal import SecretMemory
internal import Synchronization

/// The lines of descriptors that provide PINs: one for each PIN of a command, in turn.
enum PINLines {
  /// A line that was read before it was needed.
  private final class Line: Sendable {
    let text: SecretBytes

    init(_ text: consuming SecretBytes) { self.text = text }
  }

  private static let held = Mutex<[Int32: [Line]]>([:])

  /// The time in milliseconds that a caller writing all its lines at once may take for the next
  /// one.
  private static let patience: Int32 = 250

  /// The next line; empty at the end.
  ///
  /// - Throws: `io`, `interrupted`.
  static func next(_ descriptor: Int32) throws(UserMessage) -> SecretBytes {
    let line = held.withLock { held -> Line? in
      guard let lines = held[descriptor], let first = lines.first else { return nil }
      held[descriptor] = Array(lines.dropFirst())
      return first
    }
    if let line { return line.text.copy() }
    return try SecretLine.read(descriptor: descriptor, what: "PIN", limit: PINSource.limit)
  }

  /// Reads the lines needed later, as far as they are available.
  ///
  /// A caller that writes each PIN only when asked for it (docs/events.md) is not waited for.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor from which a line was read.
  ///   - count: the number of further lines needed.
  ///   - order: in which order the command asks its keys.
  /// - Throws: `no-input` if the descriptor ends before that.
  static func lookAhead(
    _ descriptor: Int32, _ count: Int, _ order: String
  ) throws(UserMessage) {
    for _ in 0..<count {
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&ready, 1, patience) > 0 else { return }
      let line = Line(
        try SecretLine.read(descriptor: descriptor, what: "PIN", limit: PINSource.limit))
      guard line.text.count > 0 else {
        throw UserMessage(
          .noInput, "the descriptor has not a PIN for each key that this command asks",
          hint: "give one line for each key in turn, \(order); nothing was touched")
      }
      held.withLock { $0[descriptor, default: []].append(line) }
    }
  }
}

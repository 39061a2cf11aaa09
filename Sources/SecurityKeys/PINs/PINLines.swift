internal import CommandKit
internal import Glibc
internal import SecretMemory

/// The lines of descriptors that provide PINs: one for each PIN of a command, in turn.
struct PINLines {
  /// A line that was read before it was needed.
  private final class Line: Sendable {
    let text: SecretBytes

    init(_ text: consuming SecretBytes) { self.text = text }
  }

  /// The lines that were read ahead.
  private var held: [Int32: [Line]] = [:]

  /// The time in milliseconds that a caller writing all its lines at once may take for the next
  /// one.
  private static let patience: Int32 = 250

  /// The next line; empty at the end.
  ///
  /// - Throws: `io`, `interrupted`.
  static func next(_ descriptor: Int32, _ run: Run) throws(UserMessage) -> SecretBytes {
    let line = run.with(PINLines()) { lines -> Line? in
      guard let first = lines.held[descriptor]?.first else { return nil }
      lines.held[descriptor]?.removeFirst()
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
  ///   - run: holds the lines.
  /// - Throws: `no-input` if the descriptor ends before that.
  static func lookAhead(
    _ descriptor: Int32, _ count: Int, _ order: String, _ run: Run
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
      run.with(PINLines()) { $0.held[descriptor, default: []].append(line) }
    }
  }
}

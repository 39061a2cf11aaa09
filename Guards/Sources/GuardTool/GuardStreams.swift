internal import Glibc

/// The standard streams: results, notes, errors in the house's form.
enum GuardStreams {
  /// A result, on standard output.
  ///
  /// - Returns: nil if it was written, else the `errno`.
  @discardableResult
  static func result(_ text: String) -> Int32? { put(text + "\n", to: STDOUT_FILENO) }

  /// A note for the person, on standard error.
  static func note(_ text: String) { _ = put(text + "\n", to: STDERR_FILENO) }

  /// The event, then what to do.
  static func report(_ error: GuardToolError) {
    note("keybackup-guard: \(error.message)")
    for line in error.hint?.split(separator: "\n") ?? [] { note("hint: \(line)") }
  }

  private static func put(_ text: String, to stream: Int32) -> Int32? {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe write(stream, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      bytes = bytes.dropFirst(count)
    }
    return nil
  }

  /// The system's words for an `errno`.
  static func words(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
}

internal import CSPP
internal import FoundationEssentials
internal import Glibc
internal import Logging

/// Lines of JSON on standard error: time, level, event, and what belongs to it.
///
/// Only what this server writes itself gets there: no address, account, subject, or byte of a body.
/// The libraries' own lines are left out, because nobody can say what they hold.
struct ServerLog: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  /// The logger of the server's own lines.
  ///
  /// - Parameter isQuiet: whether requests are left out.
  /// - Returns: the logger.
  static func logger(isQuiet: Bool) -> Logger {
    Logger(label: "keybackup-guard") { _ in ServerLog(logLevel: isQuiet ? .warning : .info) }
  }

  /// For the libraries: says nothing.
  static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let own = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let members: [(String, String?)] =
      [
        ("time", JSONText.quoted(Date.now.formatted(Date.ISO8601FormatStyle()))),
        ("level", JSONText.quoted(event.level.rawValue)),
        ("event", JSONText.quoted("\(event.message)")),
      ]
      + own.sorted { $0.key < $1.key }.map { ($0.key, JSONText.quoted("\($0.value)")) }
    // One call, so that lines of several threads stay whole.
    let line = Array((JSONText.object(members) + "\n").utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

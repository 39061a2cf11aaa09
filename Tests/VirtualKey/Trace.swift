import Glibc
import Synchronization

/// A record of a key's commands, one line each, so that a test can count commands and touches.
///
/// It never contains a PIN, key or output. The lines are: `INIT`, `PING`, `WINK`, `CBOR 0x04
/// getInfo`, `STATUS 0x00`, `WAITING` (for a touch), `TOUCH` (given) or `TOUCH denied`, `CANCEL`,
/// `ERROR channelBusy`, `UNPLUGGED`.
public final class Trace: Sendable {
  private let recorded = Mutex<[String]>([])
  private let descriptor: Int32
  private let prefix: String
  private let isKept: Bool

  /// Creates a trace in memory only.
  public init() {
    descriptor = -1
    prefix = ""
    isKept = true
  }

  /// A trace that records nothing, for a key that must be fast.
  public static let none = Trace(isKept: false)

  private init(isKept: Bool) {
    descriptor = -1
    prefix = ""
    self.isKept = isKept
  }

  /// Creates a trace that is also appended to the file at `path`, each line after `prefix`.
  ///
  /// - Throws: `VirtualKeyError.system` if the file cannot be opened.
  public init(path: String, prefix: String = "") throws(VirtualKeyError) {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    self.prefix = prefix
    isKept = true
    guard descriptor >= 0 else { throw .system(operation: "open", errno: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The lines so far.
  public var lines: [String] { recorded.withLock { $0 } }

  func write(_ text: @autoclosure () -> String) {
    guard isKept else { return }
    let line = text()
    recorded.withLock { lines in
      lines.append(line)
      guard descriptor >= 0 else { return }
      // One write per line, so that lines of several keys do not mix.
      let bytes = Array((prefix + line + "\n").utf8)
      unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
  }
}

import Glibc
import Synchronization
import TestSupport

/// A program that runs beside a test and speaks in lines over its standard streams.
///
/// It is killed when nothing holds it any more. Its standard error is the test's own.
public final class LineProgram: Sendable {
  /// Its process ID.
  public let process: Int32
  private let input: Mutex<Int32>
  private let output: Int32
  private let left = Mutex<[UInt8]>([])
  /// Its wait status, once it has ended.
  private let status = Mutex<Int32?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: its path, and its arguments.
  ///   - errors: where its standard error goes; nil for the test's own.
  /// - Throws: ``Failure`` when it cannot be started.
  public init(_ words: [String], errors: String? = nil) throws {
    var toRead: [Int32] = [-1, -1]
    var toWrite: [Int32] = [-1, -1]
    // Close-on-exec: other tests start programs at the same time.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &toRead) == 0,
      unsafe socketpair(AF_UNIX, kind, 0, &toWrite) == 0
    else { throw Failure(description: "socketpair: errno \(errno)") }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, toWrite[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, toRead[1], 1)
    if let errors {
      unsafe posix_spawn_file_actions_addopen(
        &actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for place in unsafe arguments.indices { unsafe free(arguments[place]) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, words[0], &actions, nil, arguments, environ)
    close(toRead[1])
    close(toWrite[0])
    guard code == 0 else {
      close(toRead[0])
      close(toWrite[1])
      throw Failure(description: "\(words[0]): errno \(code)")
    }
    self.process = process
    input = Mutex(toWrite[1])
    output = toRead[0]
    // A program that ends early must not end the tests.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    closeInput()
    close(output)
    guard status.withLock({ $0 }) == nil else { return }
    kill(process, SIGKILL)
    var last: Int32 = 0
    while unsafe waitpid(process, &last, 0) < 0, errno == EINTR {}
  }

  /// Writes bytes to its standard input.
  ///
  /// - Returns: whether it still reads.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
    input.withLock { input in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { return false }
        rest = rest.dropFirst(max(count, 0))
      }
      return true
    }
  }

  /// Writes a line to its standard input.
  ///
  /// - Returns: whether it still reads.
  @discardableResult public func send(line: String) -> Bool { send(Array(line.utf8) + [0x0A]) }

  /// Ends its standard input.
  public func closeInput() {
    input.withLock { input in
      if input >= 0 { close(input) }
      input = -1
    }
  }

  /// The next line that it writes.
  ///
  /// - Returns: the line without its end; nil where its output ended.
  /// - Throws: ``NotInTime`` when none comes.
  public func line() async throws -> String? {
    var found: String?
    // Other tests go on meanwhile.
    try await waitUntil("a line of a program", every: .milliseconds(5)) {
      while true {
        found = takeLine()
        if found != nil { return nil }
        var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, 0) > 0 else { return "nothing is written" }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(output, &buffer, buffer.count)
        if count <= 0 { return nil }
        left.withLock { $0 += buffer[..<count] }
      }
    }
    return found
  }

  private func takeLine() -> String? {
    left.withLock { left in
      guard let end = left.firstIndex(of: 0x0A) else { return nil }
      let line = String(decoding: left[..<end], as: UTF8.self)
      left.removeSubrange(...end)
      return line
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: the exit code, or 128 plus the number of the signal.
  /// - Throws: ``NotInTime`` when it does not end.
  public func ending() async throws -> Int32 {
    var last: Int32 = 0
    try await waitUntil("the end of a program", every: .milliseconds(5)) {
      let ended: Int32? = status.withLock { status in
        var last: Int32 = 0
        if status == nil, unsafe waitpid(process, &last, WNOHANG) == process { status = last }
        return status
      }
      last = ended ?? 0
      return ended == nil ? "it is still running" : nil
    }
    return last & 0x7F == 0 ? (last >> 8) & 0xFF : 128 + last & 0x7F
  }

  /// A program that does not do what a test expects of it.
  public struct Failure: Error, CustomStringConvertible {
    /// A description of what failed.
    public let description: String
  }
}

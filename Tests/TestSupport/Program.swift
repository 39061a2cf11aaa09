import Glibc

/// A program that has run to its end.
public struct FinishedProgram: Sendable {
  /// The exit code, or 128 plus the number of the signal.
  public let code: Int32
  /// The text that it wrote to standard output and standard error.
  public let output: String

  /// Runs a program and waits for it.
  ///
  /// - Parameter words: its path, and its arguments.
  /// - Throws: ``Failure`` when it cannot be started, ``NotInTime`` when it hangs and was killed.
  public init(_ words: [String]) throws {
    var ends: [Int32] = [-1, -1]
    // Close-on-exec: other tests start programs at the same time.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure(description: "socketpair: errno \(errno)")
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for place in unsafe arguments.indices { unsafe free(arguments[place]) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, words[0], &actions, nil, arguments, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard code == 0 else { throw Failure(description: "\(words[0]): errno \(code)") }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let deadline = ContinuousClock.now + Backstop.duration
    while true {
      var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&waiting, 1, 1000)
      if ContinuousClock.now > deadline { kill(process, SIGKILL) }
      if ready <= 0 { continue }
      let count = unsafe read(ends[0], &buffer, buffer.count)
      if count <= 0 { break }
      text += buffer[..<count]
    }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    if ContinuousClock.now > deadline {
      throw NotInTime("\(words): \(String(decoding: text, as: UTF8.self))")
    }
    let signal = status & 0x7F
    self.code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    output = String(decoding: text, as: UTF8.self)
  }

  /// A program that cannot be started.
  public struct Failure: Error, CustomStringConvertible {
    /// A description of what failed.
    public let description: String
  }
}

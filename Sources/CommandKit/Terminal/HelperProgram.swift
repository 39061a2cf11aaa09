package import CLinux
internal import CommandSupport
package import Glibc
package import SecretMemory

/// A program that asks a person in this one's place.
///
/// It gets nothing but its arguments, the environment and, where it is fed, a
/// pipe: no descriptor of this process, no blocked or ignored signal. It is
/// ended and reaped with the value.
package struct HelperProgram: ~Copyable {
  /// The program, for messages.
  package let name: String
  /// The secret it asks for, in messages: "PIN", "recovery code".
  package let what: String

  private let process: pid_t
  private var input: Int32
  private let output: Int32
  private let deadline: Int64
  private var isReaped = false

  /// Whether PATH has a program of this name.
  package static func exists(_ name: String, _ environment: [String: String]) -> Bool {
    let path = environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").contains { unsafe access("\($0)/\(name)", X_OK) == 0 }
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: a path, or a name that is looked for in PATH.
  ///   - arguments: what follows the name.
  ///   - what: what it asks for, in messages.
  ///   - namedBy: the variable or setting that names it, in messages.
  ///   - patience: seconds until it is given up.
  ///   - isShown: whether a message may show the name also where it looks like a PIN.
  /// - Throws: `config` when it cannot be started.
  package init(
    _ name: String, _ arguments: [String], for what: String, namedBy: String, patience: Int,
    isShown: Bool = false
  ) throws(UserMessage) {
    let (theirInput, input) = try Self.pipe()
    defer { close(theirInput) }
    let output: Int32
    let theirOutput: Int32
    do throws(UserMessage) {
      (output, theirOutput) = try Self.pipe()
    } catch {
      close(input)
      throw error
    }
    defer { close(theirOutput) }
    // Ended children are to be waited for, whatever the caller set.
    signal(SIGCHLD, SIG_DFL)
    var process: pid_t = 0
    let code = Self.spawn(&process, [name] + arguments, theirInput, theirOutput)
    guard code == 0 else {
      close(input)
      close(output)
      let shown =
        !isShown && PINLook.isSeen(in: name) ? "that \(namedBy) names" : ShellWord.quoted(name)
      throw UserMessage(
        .config,
        "the program \(shown), which asks for the \(what), cannot be run: \(systemText(code))",
        hint: "check \(namedBy)")
    }
    self.name = name
    self.what = what
    self.process = process
    self.input = input
    self.output = output
    deadline = Self.now() + Int64(patience) * 1000
  }

  deinit {
    if input >= 0 { close(input) }
    close(output)
    guard !isReaped else { return }
    // Most end by themselves with their input.
    for (signal, patience) in [(0, 20), (SIGTERM, 100), (SIGKILL, 100)] {
      kill(process, signal)
      for _ in 0..<patience {
        if waitpid(process, nil, WNOHANG) != 0 { return }
        usleep(10_000)
      }
    }
  }

  /// Sends a line.
  ///
  /// A program that is gone shows when its answer is read.
  package func send(_ line: String) {
    try? unsafe Output.writeAll(Array((line + "\n").utf8).span.bytes, to: input)
  }

  /// Sends text that may be secret, and nothing after it.
  ///
  /// A program that is gone shows when its answer is read.
  package mutating func send(last text: borrowing SecretBytes) {
    text.withBytes { try? Output.writeAll($0, to: input) }
    close(input)
    input = -1
  }

  /// The result of reading.
  package enum Received: Equatable {
    /// So many bytes.
    case bytes(Int)
    /// The program closed its output, or ended.
    case end
  }

  /// Waits for output and reads what there is into the free part of `buffer`.
  ///
  /// - Parameters:
  ///   - buffer: receives the bytes.
  ///   - filled: how many bytes of it are in use.
  /// - Returns: how much was read, or that there is no more.
  /// - Throws: `interrupted`, `denied` when the time is over.
  package mutating func receive(
    into buffer: inout SecretBytes, from filled: Int
  ) throws(UserMessage) -> Received {
    while true {
      if Interruption.received { throw .interrupted }
      guard Self.now() < deadline else {
        throw UserMessage.notGiven(what, "in time")
      }
      // A process that the program leaves running may hold the pipe open forever.
      let ended = hasEnded()
      var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&ready, 1, ended ? 0 : 100) > 0 {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
          unsafe read(
            output, UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]).baseAddress,
            bytes.count - filled)
        }
        if count > 0 { return .bytes(count) }
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        return .end
      }
      if ended { return .end }
    }
  }

  /// Waits for the end of a program that has closed its output.
  ///
  /// - Returns: whether it ended by itself and with success.
  package mutating func succeeded() throws(UserMessage) -> Bool {
    for _ in 0..<500 {
      if Interruption.received { throw .interrupted }
      if hasEnded() { return status == 0 }
      usleep(10_000)
    }
    return false
  }

  private var status: Int32 = -1

  private mutating func hasEnded() -> Bool {
    if !isReaped { isReaped = unsafe waitpid(process, &status, WNOHANG) != 0 }
    return isReaped
  }

  /// The time that patience is measured with, in milliseconds.
  package static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Makes a pipe, of which no other program gets an end by itself.
  ///
  /// - Throws: `io`.
  package static func pipe() throws(UserMessage) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else {
      throw UserMessage(.io, "no pipe can be made: \(systemText(errno))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// The attributes of a program that gets all signals as usual.
  ///
  /// This one blocks those that it fetches, and ignores SIGPIPE.
  ///
  /// - Returns: the attributes, which the caller destroys.
  package static func usualSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    unsafe sigaddset(&usual, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  /// Starts a program whose standard input and output are given, and which gets no other descriptor
  /// of this process than standard error.
  ///
  /// - Parameters:
  ///   - process: receives its ID.
  ///   - command: the program and its arguments.
  ///   - input: becomes its standard input.
  ///   - output: becomes its standard output.
  ///   - variables: its environment; nil for this process's own.
  /// - Returns: 0, or an errno value.
  package static func spawn(
    _ process: inout pid_t, _ command: [String], _ input: Int32, _ output: Int32,
    variables: [String: String]? = nil
  ) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe keybackup_spawn_close_from(&actions, STDERR_FILENO + 1)
    var attributes = usualSignals()
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var arguments = unsafe command.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
    }
    guard let variables else {
      return unsafe posix_spawnp(
        &process, command[0], &actions, &attributes, arguments, environ)
    }
    var environment = unsafe variables.sorted { $0.key < $1.key }
      .map { unsafe strdup("\($0.key)=\($0.value)") }
    unsafe environment.append(nil)
    defer {
      for index in unsafe environment.indices { unsafe free(environment[index]) }
    }
    return unsafe posix_spawnp(
      &process, command[0], &actions, &attributes, arguments, environment)
  }
}

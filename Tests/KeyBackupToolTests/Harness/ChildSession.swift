import Glibc
import TestSupport

/// A running process: one loop feeds it, listens to it and ends it in time.
///
/// It leads a session of its own, so that everything it starts can be killed with it. It has the
/// test's terminal or none, never the developer's.
struct ChildSession {
  private let plan: ChildProcess
  private let process: pid_t
  private let started = Self.now()
  private var outcome = Outcome()

  /// Our ends, -1 once closed.
  ///
  /// `life` ends when the last process has ended.
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private var life: Int32
  private var master: Int32
  private var slave: Int32

  private var unsent: [UInt8]
  private var untyped: [UInt8] = []
  private var steps: [TerminalStep]
  private var shown: [UInt8] = []
  private var resumeAt = 0.0
  private var cursor = 0

  init(_ plan: ChildProcess) throws {
    self.plan = plan
    var childSide: [Int32] = []
    defer { for descriptor in childSide { close(descriptor) } }
    var terminal: String?
    if plan.terminal != nil {
      (master, slave, terminal) = try Self.openTerminal(columns: plan.columns)
    } else {
      (master, slave) = (-1, -1)
    }
    unsent = plan.input
    steps = plan.terminal ?? plan.meanwhile
    let stdin = try Self.pipe()
    let stdout = try Self.pipe()
    let stderr = try Self.pipe()
    let life = try Self.pipe()
    (input, output, errors, self.life) = (stdin.write, stdout.read, stderr.read, life.read)
    childSide = [stdin.read, stdout.write, stderr.write, life.write]

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let terminal {
      // The first terminal a session leader opens becomes its controlling one.
      unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, stdin.read, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, stderr.write, 2)
    }
    switch plan.standardOutput {
    case .captured, .brokenPipe:
      unsafe posix_spawn_file_actions_adddup2(&actions, stdout.write, 1)
    case .terminal: unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    case .full: unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/full", O_WRONLY, 0)
    }
    if case .brokenPipe = plan.standardOutput {
      close(output)
      output = -1
    }
    if let bytes = plan.descriptor9 {
      let extra = try Self.pipe()
      childSide += [extra.read, extra.write]
      unsafe bytes.withUnsafeBytes { unsafe _ = write(extra.write, $0.baseAddress, $0.count) }
      unsafe posix_spawn_file_actions_adddup2(&actions, extra.read, 9)
    }
    // Without CLOEXEC: every program that is started holds it until its end.
    unsafe posix_spawn_file_actions_adddup2(&actions, life.write, 63)
    process = try unsafe Self.spawn(plan.command, plan.environment, &actions)
  }

  /// Starts a program in its own session, without our signal settings.
  static func spawn(
    _ command: [String], _ environment: [String: String],
    _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    // A test run in the background ignores some of these.
    for signal in [SIGPIPE, SIGINT, SIGQUIT, SIGHUP, SIGTERM] {
      unsafe sigaddset(&usual, signal)
    }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession))
    var arguments = unsafe command.map { unsafe strdup($0) }
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") }
    unsafe arguments.append(nil)
    unsafe variables.append(nil)
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    var process: pid_t = 0
    let code = unsafe posix_spawnp(
      &process, command[0], &actions, &attributes, arguments, variables)
    guard code == 0 else { throw SystemFailure("cannot run \(command[0])", code) }
    return process
  }

  /// Serves the process until its end.
  mutating func finish() throws -> Outcome {
    unblock([input, output, errors, life, master])
    if plan.terminal != nil || unsent.isEmpty { Self.shut(&input) }
    while life >= 0 {
      advanceScript()
      serveOnce()
      let late = Self.now() - started - Double(Backstop.seconds)
      if !outcome.timedOut, late > 0 {
        outcome.timedOut = true
        kill(-process, SIGKILL)
      } else if outcome.timedOut, late > 60 {
        break
      }
    }
    // The last output is still in the pipes.
    for _ in 0..<64 { serveOnce(wait: 0) }
    var status: Int32 = 0
    unsafe waitpid(process, &status, 0)
    let signal = status & 0x7F
    outcome.code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    outcome.screen = String(decoding: shown, as: UTF8.self)
    outcome.stepsLeft = steps
    outcome.terminalIsSane = terminalIsSane()
    outcome.seconds = Self.now() - started
    for descriptor in [input, output, errors, life, master, slave] where descriptor >= 0 {
      close(descriptor)
    }
    return outcome
  }

  // MARK: One turn of the loop

  private mutating func serveOnce(wait: Int32 = 50) {
    var polled = [
      pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: life, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: master, events: Int16(untyped.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0),
    ]
    guard unsafe poll(&polled, nfds_t(polled.count), wait) > 0 else { return }
    if polled[0].revents != 0, !Self.send(&unsent, to: input) || unsent.isEmpty {
      Self.shut(&input)
    }
    if polled[1].revents != 0, !Self.receive(from: output, into: &outcome.output) {
      Self.shut(&output)
    }
    if polled[2].revents != 0, !Self.receive(from: errors, into: &outcome.errors) {
      Self.shut(&errors)
    }
    if polled[4].revents & Int16(POLLOUT) != 0 { _ = Self.send(&untyped, to: master) }
    if polled[4].revents & Int16(POLLIN) != 0 { _ = Self.receive(from: master, into: &shown) }
    var nothing: [UInt8] = []
    if polled[3].revents != 0, !Self.receive(from: life, into: &nothing) { Self.shut(&life) }
  }

  private mutating func advanceScript() {
    while let step = steps.first {
      switch step {
      case .expect(let text):
        let seen = plan.terminal == nil ? outcome.errors : shown
        guard let found = seen[cursor...].firstRange(of: Array(text.utf8)) else { return }
        cursor = found.upperBound
      case .find(let text, let path):
        guard (try? Files.text(path))?.contains(text) == true else { return }
      case .unechoed: guard !isEchoing() else { return }
      case .type(let text): untyped += Array(text.utf8)
      case .write(let text, let path):
        // As it is: the control file of a file system takes nothing else.
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(file, bytes, bytes.count)
        close(file)
      case .hangUp:
        Self.shut(&slave)
        Self.shut(&master)
      case .pause(let milliseconds):
        if resumeAt == 0 { resumeAt = Self.now() + Double(milliseconds) / 1000 }
        guard Self.now() >= resumeAt else { return }
        resumeAt = 0
      }
      steps.removeFirst()
    }
  }

  private func isEchoing() -> Bool {
    var settings = termios()
    return unsafe tcgetattr(slave, &settings) != 0 || settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Whether the terminal edits and echoes typed text, as a shell leaves it.
  private func terminalIsSane() -> Bool {
    guard slave >= 0 else { return true }
    var settings = termios()
    guard unsafe tcgetattr(slave, &settings) == 0 else { return false }
    let wanted = tcflag_t(ECHO | ICANON | ISIG)
    return settings.c_lflag & wanted == wanted
  }
}

// MARK: Descriptors

extension ChildSession {
  private static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Makes two connected ends.
  ///
  /// They are a socket pair, which is closed on exec from the start. A pipe could leak into a
  /// process that another test starts at the same moment.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemFailure("socketpair") }
    return (ends[0], ends[1])
  }

  private static func openTerminal(
    columns: UInt16
  ) throws -> (master: Int32, slave: Int32, path: String) {
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: UInt32 = 0
    var lock: Int32 = 0
    // TIOCSPTLCK and TIOCGPTN, which the overlay does not import.
    guard master >= 0, unsafe ioctl(master, 0x4004_5431, &lock) == 0,
      unsafe ioctl(master, 0x8004_5430, &number) == 0
    else { throw SystemFailure("/dev/ptmx") }
    let path = "/dev/pts/\(number)"
    // Kept open so that the settings outlive the process.
    let slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw SystemFailure(path) }
    var size = winsize(ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else {
      throw SystemFailure("TIOCSWINSZ")
    }
    return (master, slave, path)
  }

  private func unblock(_ descriptors: [Int32]) {
    for descriptor in descriptors where descriptor >= 0 {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  private static func shut(_ descriptor: inout Int32) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Writes as much as fits; false once nobody reads.
  private static func send(_ bytes: inout [UInt8], to descriptor: Int32) -> Bool {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      // The program may have ended already: SIGPIPE would end the tests without a message.
      let sent = unsafe Glibc.send(
        descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      // A terminal is no socket.
      return sent < 0 && errno == ENOTSOCK
        ? unsafe write(descriptor, bytes.baseAddress, bytes.count) : sent
    }
    if count > 0 { bytes.removeFirst(count) }
    return count >= 0 || errno == EAGAIN
  }

  /// Reads the available bytes; false at the end.
  private static func receive(from descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    if count > 0 { bytes += buffer[..<count] }
    return count > 0 || (count < 0 && errno == EAGAIN)
  }
}

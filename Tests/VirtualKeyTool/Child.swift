import CUmockdev
import Glibc

/// The program that sees the key.
///
/// It stays in our process group, and so owns the terminal as if it had been started directly.
struct Child {
  private static let passed = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

  private let process: pid_t

  /// Keeps signals for `wait`, also in threads that start later.
  static func blockSignals() {
    var set = signals()
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Makes file modes apply to the program even if it runs as root.
  static func loseAccessOverride() {
    // CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH. Without privilege there is nothing to drop.
    _ = virtual_key_drop_capability(1)
    _ = virtual_key_drop_capability(2)
  }

  /// Starts the program.
  init(_ command: [String]) throws {
    process = try unsafe Self.spawn(command, environ)
  }

  /// Starts a program with no signal blocked.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments.
  ///   - environment: all of it, as C has it.
  ///   - files: what happens to our files; nil: the program inherits them all.
  ///   - ownGroup: whether it has a process group of its own.
  /// - Returns: its process ID.
  /// - Throws: when it cannot be started.
  static func spawn(
    _ command: [String], _ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    files: UnsafePointer<posix_spawn_file_actions_t>? = nil, ownGroup: Bool = false
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    let group = ownGroup ? Int32(POSIX_SPAWN_SETPGROUP) : 0
    unsafe posix_spawnattr_setflags(&attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | group))
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var process: pid_t = 0
    let code = unsafe posix_spawnp(
      &process, command[0], files, &attributes, arguments, environment)
    guard code == 0 else {
      throw BusError("cannot run \(command[0]): \(unsafe String(cString: strerror(code)))")
    }
    return process
  }

  /// Waits for the program to end, and passes signals on to it.
  ///
  /// - Returns: the exit code, or 128 plus the signal's number, as in shells.
  func wait() -> Int32 {
    var set = Self.signals()
    while true {
      var status: Int32 = 0
      if unsafe waitpid(process, &status, WNOHANG) == process {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
      }
      var information = unsafe siginfo_t()
      let signal = unsafe sigwaitinfo(&set, &information)
      // The program also got signals of the terminal (SI_KERNEL). A terminal that closes tells only
      // the session's leader.
      if Self.passed.contains(signal), unsafe signal == SIGHUP || information.si_code <= 0 {
        kill(process, signal)
      }
    }
  }

  private static func signals() -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in passed + [SIGCHLD] { unsafe sigaddset(&set, signal) }
    return set
  }
}

internal import CLinux
internal import CommandKit
internal import Glibc

/// The command that a person wants to run when a file could not be backed up.
///
/// The watcher does not wait for it. What it prints goes to standard error, because standard output
/// is for the result.
final class FailureCommand {
  private let command: String
  private let environment: [String: String]
  private let otherVariables: [[CChar]]
  private var running: [pid_t] = []

  /// - Parameters:
  ///   - command: a line for the shell.
  ///   - world: the variables it gets.
  init(_ command: String, _ world: World) {
    self.command = command
    environment = world.environment
    otherVariables = world.otherVariables
  }

  /// Starts it.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - message: why it could not be backed up.
  /// - Returns: whether it was started.
  func start(_ path: String, _ message: UserMessage) -> Bool {
    reap()
    var variables = environment
    variables["KEYBACKUP_FILE"] = path
    variables["KEYBACKUP_ERROR"] = message.word
    variables["KEYBACKUP_MESSAGE"] = PrintableText.clean(message.message, limit: 2000)
    // The service manager listens to this program, not to that one.
    variables["NOTIFY_SOCKET"] = nil
    guard let process = spawn(variables.map { "\($0.key)=\($0.value)" }) else { return false }
    running.append(process)
    return true
  }

  /// Lets go of those that have ended, as the system demands of their parent.
  func reap() { running.removeAll { waitpid($0, nil, WNOHANG) != 0 } }

  private func spawn(_ variables: [String]) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    unsafe keybackup_spawn_close_from(&actions, STDERR_FILENO + 1)
    var attributes = HelperProgram.usualSignals()
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    let words = ["sh", "-c", command]
    var arguments = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    var environment = unsafe variables.map { unsafe strdup($0) }
    unsafe environment += otherVariables.map { unsafe strdup($0) }
    unsafe environment.append(nil)
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe environment.indices { unsafe free(environment[index]) }
    }
    var process = pid_t()
    let code = unsafe posix_spawn(
      &process, "/bin/sh", &actions, &attributes, &arguments, &environment)
    return code == 0 ? process : nil
  }
}

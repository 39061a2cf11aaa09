import Glibc

/// A program that runs beside a test and ends with it, also when the test's process is killed.
///
/// A shell around the program waits for the end of a pipe.
final class BackgroundProgram: Sendable {
  private let shell: pid_t
  private let lifeline: Int32
  /// The file that receives its output.
  let log: String

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments.
  ///   - environment: the whole environment.
  ///   - log: the file that receives its output.
  ///   - stop: a shell line that asks it to end, if it is another user's process.
  ///   - cleanUp: a shell line to run after its end.
  /// - Throws: when it cannot be started.
  init(
    _ command: [String], environment: [String: String], log: String, stop: String = ":",
    cleanUp: String = ":"
  ) throws {
    let script = """
      log=$1; shift
      "$@" </dev/null >"$log" 2>&1 & program=$!
      cat >/dev/null
      \(stop)
      kill $program 2>/dev/null
      for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        kill -0 $program 2>/dev/null || break; sleep 0.1
      done
      kill -9 $program 2>/dev/null; wait $program 2>/dev/null
      \(cleanUp)
      """
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemFailure("socketpair") }
    defer { close(ends[0]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    do {
      shell = try unsafe ChildSession.spawn(
        ["sh", "-c", script, "sh", log] + command, environment, &actions)
    } catch {
      close(ends[1])
      throw error
    }
    (lifeline, self.log) = (ends[1], log)
  }

  /// Ends the program and waits for its end.
  deinit {
    close(lifeline)
    waitpid(shell, nil, 0)
  }

  /// Its output so far.
  var output: String { (try? Files.text(log)) ?? "" }

  /// A TCP port on the loopback interface that is unused at the moment.
  static func freePort() throws -> Int {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
        guard unsafe bind(socket, pointer, size) == 0 else { return -1 }
        return unsafe getsockname(socket, pointer, &size)
      }
    }
    guard code == 0 else { throw SystemFailure("bind") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// Another program has taken the port that was free a moment ago.
struct PortTaken: Error {
  /// Whether a program's output says so.
  static func isSaid(_ output: String) -> Bool {
    output.lowercased().contains("address already in use")
  }
}

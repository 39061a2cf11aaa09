// This folder is for guards: the program that asks them, what they are asked in which order, what
// this computer remembers of them, and the texts about them. It knows no key slot of the folder and
// no command.

package import CommandKit
internal import Glibc

/// The program `keybackup-guard ask`, which opens network connections in this one's place.
///
/// It gets requests that are signed already and the addresses to send them to. It has no PIN, no
/// key and no folder, and of the environment only what a TLS library needs. It is ended and reaped
/// with the value.
package final class GuardProgram {
  private let process: pid_t
  private var input: Int32
  private let output: Int32
  private var received: [UInt8] = []
  private var lastID = 0

  /// The longest line of an answer, in bytes.
  private static let longestLine = 256 * 1024
  /// Milliseconds that the program may need beyond the time limit of a request.
  static let slack: Int64 = 3000

  /// The variables that it gets.
  private static let variables = [
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR",
  ]

  /// Starts the program that lies beside this one, so that both are of one version.
  ///
  /// - Parameters:
  ///   - certificates: files with further authorities.
  ///   - world: the environment of the process.
  /// - Throws: `guard-program-missing`, `io`.
  package init(trusting certificates: [String], _ world: World) throws(UserMessage) {
    guard let path = SiblingProgram.found("keybackup-guard", path: nil).first else {
      throw .noGuardProgram
    }
    let (theirInput, input) = try HelperProgram.pipe()
    defer { close(theirInput) }
    let output: Int32
    let theirOutput: Int32
    do throws(UserMessage) {
      (output, theirOutput) = try HelperProgram.pipe()
    } catch {
      close(input)
      throw error
    }
    defer { close(theirOutput) }
    signal(SIGCHLD, SIG_DFL)
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
    var process: pid_t = 0
    let command = [path, "ask"] + certificates.flatMap { ["--ca", $0] }
    let code = HelperProgram.spawn(
      &process, command, theirInput, theirOutput,
      variables: world.environment.filter { Self.variables.contains($0.key) })
    guard code == 0 else {
      close(input)
      close(output)
      throw .noGuardProgram
    }
    self.process = process
    self.input = input
    self.output = output
  }

  deinit {
    if input >= 0 { close(input) }
    close(output)
    // It ends with its input.
    for (signal, patience) in [(0, 30), (SIGTERM, 100), (SIGKILL, 100)] {
      kill(process, signal)
      for _ in 0..<patience {
        if waitpid(process, nil, WNOHANG) != 0 { return }
        usleep(10_000)
      }
    }
  }

  /// A number that no other line of this conversation has.
  func nextID() -> Int {
    lastID += 1
    return lastID
  }

  /// Sends one line.
  ///
  /// - Throws: `interrupted`; `io` where the program is gone or does not read.
  package func send(_ line: String) throws(UserMessage) {
    let bytes = Array((line + "\n").utf8)
    let end = HelperProgram.now() + Self.slack
    var done = 0
    while done < bytes.count {
      if Interruption.received { throw .interrupted }
      let count = unsafe bytes[done...].withUnsafeBytes {
        unsafe write(input, $0.baseAddress, $0.count)
      }
      if count > 0 {
        done += count
        continue
      }
      guard errno == EAGAIN || errno == EINTR, HelperProgram.now() < end else {
        throw .guardProgramGone
      }
      var ready = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
      unsafe poll(&ready, 1, 100)
    }
  }

  /// Receives one line.
  ///
  /// - Parameter deadline: the time of ``HelperProgram/now()`` until which it is waited for.
  /// - Returns: the line; nil when the time is over.
  /// - Throws: `interrupted`; `io` where the program is gone or sends no lines.
  package func receive(until deadline: Int64) throws(UserMessage) -> GuardLine.Reply? {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(received[..<end])
        received.removeSubrange(...end)
        guard let reply = GuardLine.Reply(parsing: line) else { throw .guardProgramGone }
        return reply
      }
      if Interruption.received { throw .interrupted }
      guard received.count <= Self.longestLine else { throw .guardProgramGone }
      if HelperProgram.now() >= deadline { return nil }
      var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&ready, 1, 100) > 0 else { continue }
      var piece = [UInt8](repeating: 0, count: 16_384)
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe read(output, $0.baseAddress, $0.count)
      }
      if count > 0 {
        received += piece[..<count]
      } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
        // Ctrl-C on a terminal ends the program too.
        throw Interruption.received ? UserMessage.interrupted : UserMessage.guardProgramGone
      }
    }
  }
}

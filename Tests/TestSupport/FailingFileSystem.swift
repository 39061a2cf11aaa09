import Glibc
import Synchronization

/// A mounted file system that passes everything through to another folder and fails when told to.
///
/// The commands are listed in Tests/FailingFileSystem. The mount ends with this value, and with
/// this process. Programs that still wait for one of its files then get an error.
public final class FailingFileSystem: Sendable {
  /// The folder that is passed through.
  public let backing: String
  /// The folder at which it is mounted.
  public let path: String
  private let process: pid_t
  /// The end of a socket; -1 once it is closed.
  private let lifeline: Mutex<Int32>

  /// Something that is needed for a mount is missing.
  public struct Failure: Error, CustomStringConvertible {
    /// A description of what failed.
    public let description: String
  }

  /// Mounts it.
  ///
  /// - Parameters:
  ///   - backing: a folder.
  ///   - path: the folder to mount at, whose content is hidden meanwhile; it may be `backing`
  ///     itself.
  /// - Throws: ``Failure``.
  public init(backing: String, path: String) throws {
    self.backing = backing
    self.path = path
    var ends: [Int32] = [-1, -1]
    // Close-on-exec: a program that another test starts must not keep it alive.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure(description: "socketpair: errno \(errno)")
    }
    defer { close(ends[0]) }
    lifeline = Mutex(ends[1])
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    let program = BuiltProduct.path("failing-fs")
    let words = [program, "--until-eof", backing, path]
    let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for place in unsafe arguments.indices { unsafe free(arguments[place]) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, program, &actions, nil, arguments, environ)
    self.process = process
    guard code == 0 else {
      close(ends[1])
      lifeline.withLock { $0 = -1 }
      throw Failure(description: "\(program): errno \(code)")
    }
    try blockUntil("failing-fs has mounted \(path)") {
      if unsafe access(path + "/.failing-fs", F_OK) == 0 { return nil }
      var status: Int32 = 0
      guard unsafe waitpid(process, &status, WNOHANG) == 0 else {
        close(ends[1])
        lifeline.withLock { $0 = -1 }
        throw Failure(description: "failing-fs did not mount \(path): is /dev/fuse there?")
      }
      return "no control file"
    }
  }

  deinit { unmount() }

  /// Unmounts it, even if programs use it.
  public func unmount() {
    lifeline.withLock { end in
      if end < 0 { return }
      close(end)
      end = -1
      _ = waitpid(process, nil, 0)
    }
  }

  /// Gives commands, one a line, which are carried out before this returns.
  ///
  /// - Throws: ``Failure`` with the reason why a command was refused.
  public func tell(_ commands: String...) throws {
    let text = Array(commands.joined(separator: "\n").utf8)
    let file = unsafe open(path + "/.failing-fs", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure(description: "no control file: errno \(errno)") }
    defer { close(file) }
    guard unsafe write(file, text, text.count) == text.count else {
      throw Failure(description: "\(commands): \(value("error"))")
    }
  }

  /// Forgets all rules, and lets the calls that hang go on, also where the control file hangs.
  ///
  /// - Throws: ``NotInTime``.
  public func letGo() throws {
    kill(process, SIGUSR1)
    // Until then the report hangs, or has rules.
    try blockUntil("failing-fs has forgotten its rules") {
      value("rules") == "0" ? nil : "rules: \(value("rules"))"
    }
  }

  /// The file system's report: counters, and the trace if one was requested.
  public var report: [String] {
    let file = unsafe open(path + "/.failing-fs", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe read(file, &buffer, buffer.count)
      if count <= 0 { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The number of calls that changed something since the snapshots began.
  public var changes: Int { Int(value("changes")) ?? 0 }
  /// The number of snapshots that were written.
  public var snapshots: Int { Int(value("snapshots")) ?? 0 }
  /// The calls since tracing was turned on: `op path [other] = errno`.
  public var trace: [String] { Array(report.dropFirst(4)) }

  private func value(_ key: String) -> String {
    let line = report.first { $0.hasPrefix(key + " ") }
    return line.map { String($0.dropFirst(key.utf8.count + 1)) } ?? ""
  }
}

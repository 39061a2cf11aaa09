import Foundation
import Synchronization
import TestSupport
import Testing

/// Debian's PostgreSQL on a Unix socket in a temporary folder.
///
/// It refuses to run as root.
///
/// The shell that started it stops it when this process ends, however that happens.
final class RunningPostgreSQL: Sendable {
  /// The server that the tests of this process share.
  static let shared = Result { try RunningPostgreSQL() }

  let folder: URL
  private let shell: Mutex<Process>
  private let life: Mutex<FileHandle>
  private let databases = Atomic<Int>(0)

  /// Starts a server.
  ///
  /// - Parameter options: settings, such as `fsync=off`.
  /// - Throws: where there is no such server, or it does not start.
  init(_ options: [String] = []) throws {
    let programs = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
    let version = try #require(programs.compactMap { Int($0) }.max(), "see scripts/setup")
    let bin = "/usr/lib/postgresql/\(version)/bin"
    // The path of a socket has at most 107 bytes.
    folder = URL(filePath: "/tmp/guard-pg-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    var user: [String] = []
    if geteuid() == 0 {
      user = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
      let owner = try FinishedProgram(["/usr/bin/chown", "postgres:postgres", folder.path])
      try #require(owner.code == 0, "\(owner.output)")
    }
    let made = try FinishedProgram(
      user + [
        "\(bin)/initdb", "-D", "\(folder.path)/data", "-A", "trust", "-U", "guard", "--no-sync",
        "-E", "UTF8", "--no-locale",
      ])
    try #require(made.code == 0, "\(made.output)")
    let settings = ["listen_addresses=", "max_connections=200", "shared_buffers=16MB"] + options
    let server =
      user + ["\(bin)/postgres", "-D", "\(folder.path)/data", "-k", folder.path]
      + settings.flatMap { ["-c", $0] }
    // Not sh: dash waits for a signal that whoever starts it may have blocked.
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/bash")
    shell.arguments =
      [
        "-c",
        "folder=$1; shift; \"$@\" </dev/null >\"$folder.log\" 2>&1 & read -r end; "
          + "kill -QUIT $!; wait $!; rm -rf \"$folder\" \"$folder.log\"",
        "bash", folder.path,
      ] + server
    let pipe = Pipe()
    // No other program that a test starts may hold this end open.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    shell.standardInput = pipe
    try shell.run()
    try pipe.fileHandleForReading.close()
    self.shell = Mutex(shell)
    life = Mutex(pipe.fileHandleForWriting)
    try blockUntil("PostgreSQL answers") {
      let ready = try FinishedProgram(
        ["\(bin)/pg_isready", "-h", folder.path, "-U", "guard", "-d", "postgres"])
      if ready.code == 0 { return nil }
      return (try? String(contentsOfFile: folder.path + ".log", encoding: .utf8)) ?? ""
    }
  }

  struct Failure: Error { let text: String }

  /// Stops the server.
  func stop() {
    life.withLock { try? $0.write(contentsOf: Data("\n".utf8)) }
    try? blockUntil("PostgreSQL has ended") {
      shell.withLock { $0.isRunning } ? "it is running" : nil
    }
  }

  /// libpq's words for a new database.
  func newDatabase() throws -> String {
    let name = "g\(databases.add(1, ordering: .relaxed).newValue)x\(UUID().uuidString.prefix(8))"
    try sql("CREATE DATABASE \"\(name)\"")
    return url(name)
  }

  func url(_ name: String) -> String { "host=\(folder.path) user=guard dbname=\(name)" }

  /// Runs a statement.
  @discardableResult
  func sql(_ statement: String, in database: String = "postgres") throws -> String {
    let run = try FinishedProgram(
      ["/usr/bin/psql", "-X", "-q", "-A", "-t", "-d", url(database), "-c", statement])
    try #require(run.code == 0, "\(run.output)")
    return run.output
  }
}

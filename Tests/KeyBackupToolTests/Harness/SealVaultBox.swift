import Testing

/// A sandbox with a database to back up for SealVault, and the secrets for it.
struct SealVaultBox: Sendable {
  static let secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

  let box: Sandbox
  /// The folder of the zip files.
  let folder: String
  let password: String
  /// A database of another program.
  let database: String

  init() async throws {
    box = try Sandbox()
    folder = box.root + "/icloud"
    password = box.root + "/password"
    database = box.root + "/app.sqlite3"
    try Files.makeFolder(folder)
    try Files.write("8FD93-EYWZR-GB7HX-QAVNS\n", to: password, mode: 0o600)
    try await sqlite(database, "CREATE TABLE t (a)")
  }

  /// Changes a database.
  func sqlite(_ path: String, _ statement: String) async throws {
    let script =
      "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
    let made = try await box.run(["/usr/bin/python3", "-c", script, path, statement], key: nil)
    try #require(made.code == 0, "\(made.text)")
  }

  /// The other program that reads and writes such backups.
  func python(_ words: String...) async throws -> String {
    let outcome = try await box.run(Python.script("interop/sealvault.py") + words, key: nil)
    guard outcome.code == 0 else { throw NotThatJSON(text: outcome.text) }
    return String(outcome.out.dropLast())
  }

  /// A database as SealVault's own, with a wrapped data key.
  func ownDatabase(version: Int) async throws -> String {
    let path = box.root + "/wallet.sqlite3"
    _ = try await python("data-key", path, password, Self.secret, String(version))
    return path
  }

  /// Runs a command, without a security key unless it is given.
  @discardableResult
  func run(
    _ words: [String], key: [String]? = nil, input: String = "",
    environment: [String: String] = [:], wrapper: [String] = [],
    terminal: [TerminalStep]? = nil, expecting: Int32? = 0
  ) async throws -> Outcome {
    try await box.keybackup(
      ["foreign", "sealvault"] + words, key: key, pin: key == nil ? .none : .file,
      input: Array(input.utf8), environment: environment, wrapper: wrapper, terminal: terminal,
      expecting: expecting)
  }

  /// Runs a command with the password in a file and the KDF secret on standard input.
  @discardableResult
  func opened(
    _ words: String..., secret: String = secret, wrapper: [String] = [], expecting: Int32? = 0
  ) async throws -> Outcome {
    try await run(
      words + ["--password-file", password, "--kdf-secret", "-"], input: secret + "\n",
      wrapper: wrapper, expecting: expecting)
  }

  /// Lets calls that are about a path fail: all, or some as strace's `when` counts them.
  static func failing(
    _ calls: String, at path: String, _ error: String = "EIO", when: String = "1+"
  ) -> [String] {
    Tracing.wrapper([
      "-P", path, "-e", "trace=\(calls)", "-e", "inject=\(calls):error=\(error):when=\(when)",
    ])
  }
}

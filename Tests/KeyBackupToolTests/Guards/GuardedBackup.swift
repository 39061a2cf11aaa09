import Testing

/// A backup with a PIN and three guards, two of which are needed.
struct GuardedBackup: Sendable {
  let backup: PreparedBackup
  let circle: GuardCircle
  let pinFile: String
  let keyID: String
  var box: Sandbox { backup.box }

  /// Makes the way in.
  init(count: Int = 3, needed: Int = 2) async throws {
    backup = try await PreparedBackup()
    circle = try await GuardCircle(count, in: backup.box)
    pinFile = backup.box.root + "/guard-pin"
    let added = try await backup.box.keybackup(
      [
        "guard", "add", "--pin", "--threshold", "\(needed)", "--yes", "--json", "--pin-out",
        pinFile,
      ]
        + circle.servers)
    keyID = try added.json()["key_id"].text ?? ""
  }

  /// A wrong PIN in a file.
  func wrongPIN() throws -> String {
    let right = try Files.text(pinFile)
    let path = box.root + "/wrong-pin"
    try Files.write(right.hasPrefix("7") ? "246913\n" : "753951\n", to: path, mode: 0o600)
    return path
  }

  /// Runs `keybackup` without a security key.
  @discardableResult
  func alone(
    _ arguments: [String], home: String? = nil, terminal: [TerminalStep]? = nil,
    environment: [String: String] = [:], expecting: Int32? = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    try await box.keybackup(
      arguments, key: ["--no-key"], pin: .none, home: home, environment: environment,
      terminal: terminal, expecting: expecting, at: location)
  }

  /// The options that open the backup with a PIN.
  func opening(_ file: String? = nil) -> [String] { ["--guard-pin-file", file ?? pinFile] }

  /// A computer that has never seen the backup.
  func newHome(_ name: String = "new-home") throws -> String {
    let home = box.root + "/" + name
    if !Files.exists(home) { try Files.makeFolder(home) }
    return home
  }
}

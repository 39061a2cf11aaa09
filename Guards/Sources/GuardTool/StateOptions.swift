internal import ArgumentParser
internal import CLinux
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc

/// Where a guard keeps what it knows.
struct StateOptions: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "The folder of the guard's state. Default: $STATE_DIRECTORY, then "
        + "$XDG_STATE_HOME/keybackup-guard.", valueName: "folder"))
  var folderName: String?

  @Option(
    help: ArgumentHelp(
      "The database: postgresql://... or the path of an SQLite file. Default: guard.sqlite in "
        + "the state folder.", valueName: "url-or-path"))
  var database: String?

  @Option(
    name: .customLong("server-key"),
    help: ArgumentHelp(
      "The file of the server key. Default: the systemd credential guard-server-key, then "
        + "server-key in the state folder.", valueName: "file"))
  var keyFile: String?

  /// The state folder.
  func folder() throws(GuardToolError) -> String {
    if let folderName { return Self.absolute(folderName) }
    let environment = ProcessInfo.processInfo.environment
    // systemd names several, if the unit does.
    if let named = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return String(named)
    }
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") {
      return base + "/keybackup-guard"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw GuardToolError(
        .config, "there is no folder for the guard's state: HOME is not set",
        hint: "name one with --state FOLDER")
    }
    return home + "/.local/state/keybackup-guard"
  }

  /// The state folder, made if it is not there yet.
  func madeFolder() throws(GuardToolError) -> String {
    let path = try folder()
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw GuardToolError(
        .cannotCreate, "the folder \(ShellWord.quoted(path)) cannot be made",
        hint: "make it, or name another one with --state FOLDER")
    }
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw GuardToolError(
        .cannotCreate, "\(ShellWord.quoted(path)) is not a folder", hint: "name another one")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw GuardToolError(
        .config, "others may write to the folder \(ShellWord.quoted(path))",
        hint:
          "run: chmod 700 \(ShellWord.quoted(path))\nand make it belong to the user who runs the guard"
      )
    }
    return path
  }

  /// The state folder, which a guard has made.
  func existingFolder() throws(GuardToolError) -> String {
    let path = try folder()
    guard unsafe access(path, F_OK) == 0 else {
      throw GuardToolError(
        .config, "there is no guard in \(ShellWord.quoted(path))",
        hint: "name its folder with --state FOLDER, or start one: keybackup-guard serve")
    }
    return try madeFolder()
  }

  /// The options as they were typed, each after a space, for a command that a message proposes.
  ///
  /// PostgreSQL's URL is left out: it may hold a password.
  var words: String {
    let path = database.flatMap { $0.contains("://") ? nil : $0 }
    return [("--state", folderName), ("--database", path), ("--server-key", keyFile)]
      .map { name, value in value.map { " \(name) \(ShellWord.quoted($0))" } ?? "" }.joined()
  }

  /// A path that stays what it is when the program's folder changes.
  static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }
}

import Testing

/// A prepared backup with a recovery kit: its page, its offline file, its code.
struct PreparedKit: Sendable {
  let backup: PreparedBackup
  let code: String
  let keyID: String

  var box: Sandbox { backup.box }
  var page: String { box.root + "/page.html" }
  var offline: String { box.root + "/kit.json" }
  var codeFile: String { box.root + "/code" }

  /// The options that open the backup with the code alone.
  var opening: [String] { ["--recovery-code-file", codeFile] }

  /// The path of a second secret, if there is one.
  var second: String { box.root + "/second" }

  // `folder` is what to call the synced folder.
  init(
    second: String? = nil, label: String = "Safe", folder: String? = nil, owner: String? = nil
  ) async throws {
    backup = try await PreparedBackup()
    let box = backup.box
    var options: [String] = []
    if let folder {
      try Files.move(box.folder, to: box.root + "/" + folder)
      try Files.link(box.folder, to: box.root + "/" + folder)
      options = ["--folder", box.root + "/" + folder]
    }
    if let owner { options += ["--owner", owner] }
    if let second {
      try Files.write(second, to: box.root + "/second")
      options += ["--secret-file", box.root + "/second"]
    }
    let made = try await box.keybackup(
      [
        "recovery-kit", "create", "--json", "--reveal", "--label", label,
        "--out", box.root + "/page.html", "--offline", box.root + "/kit.json",
      ] + options
    ).json()
    code = try #require(made["code"].text)
    keyID = try #require(made["key_id"].text)
    #expect(made["kind"].text == "recovery_code" && made["label"].text == label)
    try Files.write(code + "\n", to: codeFile, mode: 0o600)
  }

  /// Runs the command without a security key in reach.
  func alone(_ arguments: [String], expecting: Int32? = 0) async throws -> Outcome {
    try await box.keybackup(
      arguments, key: ["--no-key"], pin: .none, expecting: expecting)
  }

  /// Deletes everything in the folder except the wallets' files.
  func loseAllButWallets() throws {
    for name in ["keybackup", "master-key"] { try Files.remove(backup.place + "/" + name) }
  }

  /// Expects that the folder's three wallets are among the restored files.
  func expectAllRestored(_ folder: String, at location: SourceLocation = #_sourceLocation) throws {
    let files = try Files.contents(folder)
    #expect(files.count == 3, sourceLocation: location)
    let texts = files.values.map { String(decoding: $0, as: UTF8.self) }
    for id in PreparedBackup.ids {
      #expect(texts.contains { $0.contains("\"\(id)\"") }, sourceLocation: location)
    }
  }
}

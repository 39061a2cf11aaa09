import TestSupport
import Testing

/// The one line that says how the backup stands.
///
/// It is in `status` and above the help. `init` and `doctor` use its words where a backup exists.
@Suite struct VerdictTests {
  /// The first line that a command prints.
  private static func first(_ outcome: Outcome) -> String {
    String(outcome.out.split(separator: "\n", omittingEmptySubsequences: false).first ?? "")
  }

  // MARK: status

  @Test func `Status begins with it`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let unknown = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(
      Self.first(unknown).hasPrefix("Attention: this computer has not opened this backup yet"),
      "\(unknown.out)")
    try await box.keybackup(["wallet", "list"])
    let risk = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(Self.first(risk).hasPrefix("Attention: there is one way in only"), "\(risk.out)")
    let json = try await box.keybackup(["status", "--json"], key: nil, pin: .none, expecting: 88)
    #expect(try json.json()["verdict"].text == Self.first(risk))
    try Files.write("{}", to: backup.wallets[0])
    let damaged = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 65)
    #expect(Self.first(damaged) == "Attention: some files of the backup are damaged.")
  }

  @Test func `Everything is fine is said only by a computer that knows`() async throws {
    let keys = try await ThreeKeys()
    try await keys.box.keybackup(["wallet", "list"], key: keys.only("blue"))
    // A folder that nothing carries is one disk away from its end.
    let alone = try await keys.box.keybackup(["status"], key: nil, pin: .none)
    #expect(Self.first(alone).hasPrefix("Attention: no sync program is known"), "\(alone.out)")
    try keys.box.setUpDropbox(keys.box.folder)
    let fine = try await keys.box.keybackup(["status"], key: nil, pin: .none)
    #expect(fine.out.contains("(Dropbox \"personal\")\n"), "\(fine.out)")
    #expect(Self.first(fine) == "Everything is fine.", "\(fine.out)")
    // A computer that has not seen the folder before cannot say so.
    let elsewhere = try await keys.box.keybackup(
      ["status"], key: nil, pin: .none, home: keys.box.newHome(), expecting: 88)
    #expect(
      Self.first(elsewhere).hasPrefix("Attention: this computer has not opened this backup yet"),
      "\(elsewhere.out)")
  }

  /// What a new user has still to do is no alarm.
  @Test func `A kit that was never tested is a hint beside two other ways in`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    try box.setUpDropbox(box.folder)
    try await box.keybackup(
      ["recovery-kit", "create", "--out", box.root + "/kit.html"], key: keys.only("blue"))
    let status = try await box.keybackup(["status"], key: nil, pin: .none)
    #expect(Self.first(status) == "Everything is fine.", "\(status.out)")
    #expect(status.out.contains("\nhint: \"Recovery kit\" was never tested"), "\(status.out)")
    #expect(!status.out.contains("\n! "), "\(status.out)")
    let json = try await box.keybackup(["status", "--json"], key: nil, pin: .none).json()
    #expect(json["advice"].items.contains { $0.text?.contains("was never tested") == true })
    #expect(json["verdict"].text == "Everything is fine.")
    // Without a spare it is needed.
    for name in ["green", "red"] {
      try await box.keybackup(["key", "remove", name, "--yes"], key: keys.only("blue"))
    }
    let risk = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(Self.first(risk).hasPrefix("Attention: there is one way in only"), "\(risk.out)")
  }

  // MARK: keybackup alone

  /// How the help begins.
  private static let help = "Back up wallets into a synced folder"

  @Test func `The program alone shows it`() async throws {
    let box = try Sandbox()
    let none = try await box.run([Build.keybackup], key: nil)
    #expect(none.code == 0 && Self.first(none).hasPrefix(Self.help), "\(none.out)")
    try await box.keybackup(["init"], environment: ["KEYBACKUP_FOLDER": ""], expecting: 78)
    try await box.keybackup(["init", box.folder], environment: ["KEYBACKUP_FOLDER": ""])
    for environment in [["KEYBACKUP_FOLDER": ""], [:]] {
      let shown = try await box.run([Build.keybackup], key: nil, environment: environment)
      #expect(shown.code == 0, "\(shown)")
      #expect(Self.first(shown).hasPrefix("Attention: there is one way in only"), "\(shown.out)")
      #expect(shown.out.contains("\n\n" + Self.help), "\(shown.out)")
    }
    // Requested help is only help.
    let help = try await box.run([Build.keybackup, "--help"], key: nil)
    #expect(Self.first(help).hasPrefix(Self.help))
    // The folder is gone, or the settings are damaged: help all the same.
    try Files.remove(box.folder)
    let gone = try await box.run([Build.keybackup], key: nil, environment: ["KEYBACKUP_FOLDER": ""])
    #expect(gone.code == 0 && Self.first(gone).hasPrefix("Attention: there is no folder"))
    try box.place("{", at: ".config/keybackup/config.json")
    let broken = try await box.run(
      [Build.keybackup], key: nil, environment: ["KEYBACKUP_FOLDER": ""])
    #expect(broken.code == 0 && Self.first(broken).hasPrefix(Self.help), "\(broken)")
  }

  /// A mount whose server is gone does not block the help.
  @Test(arguments: ["getattr", "opendir", "read"])
  func `A folder that does not answer`(_ call: String) async throws {
    let mounted = try await BlockedFileTests.Mounted()
    let box = mounted.backup.box
    try mounted.system.tell("rule op=\(call) hang")
    let shown = try await box.run([Build.keybackup], key: nil)
    #expect(shown.code == 0 && shown.out.contains(Self.help), "\(shown)")
    #expect(
      Self.first(shown).contains("did not answer within a second. Run: keybackup status"),
      "\(shown.out)")
    mounted.system.unmount()
  }

  // MARK: init and doctor

  /// A user on a new computer types `init`: the existing backup is offered.
  @Test func `Init offers to restore`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let there = box.root + "/my cloud's"
    try Files.copy(box.folder, to: there)
    let home = try box.newHome()
    let asked = try await box.traced {
      let refused = try await box.keybackup(["init", there], home: home, expecting: nil)
      expectFailure(refused, 73, says: "holds a backup already", backup.namespaceID)
      let line = try #require(
        refused.err.split(separator: "\n").first { $0.contains("keybackup restore") })
      let command = try #require(
        line.split(separator: ": ").dropFirst(2).first?.split(separator: ";").first)
      #expect(command.hasPrefix("keybackup restore --folder "), "\(line)")
      // The proposed command works as it stands, with quotes and all.
      let typed = command.replacing("keybackup restore", with: "\"$0\" restore --pin-file \"$1\"")
        .replacing("RESTORED", with: "\"$2\"")
      let restored = try await box.run(
        ["sh", "-c", String(typed), Build.keybackup, box.pinFile, box.root + "/back"], home: home)
      #expect(restored.code == 0, "\(typed): \(restored.text)")
      #expect(Files.tree(box.root + "/back").count == 4)
    }
    #expect(asked.count { $0.hasSuffix("TOUCH") } == 1)
  }

  /// The backup is in the subfolder; the user names the sync folder itself.
  @Test func `Init tells of a backup nearby`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let folder = try box.makeFolder("Dropbox")
    try Files.copy(box.folder, to: folder + "/keybackup")
    try box.setUpDropbox(folder)
    let refused = try await box.keybackup(
      ["init", folder], environment: box.unnamed, expecting: 73)
    #expect(refused.err.contains("a backup is in \(folder)/keybackup already"), "\(refused.err)")
    #expect(
      refused.err.contains("keybackup restore --folder \(folder)/keybackup "), "\(refused.err)")
    #expect(!refused.err.contains("Touch"))
    let made = try await box.keybackup(["init", folder, "--another"], environment: box.unnamed)
    #expect(made.err.contains("Touch"), "\(made.err)")
  }

  /// `doctor` finds a backup as `status` does.
  @Test func `Doctor knows the folder that status finds`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let folder = try box.makeFolder("Dropbox")
    try Files.copy(box.folder, to: folder + "/keybackup")
    try box.setUpDropbox(folder)
    let found = try await box.keybackup(["doctor"], pin: .none, environment: box.unnamed)
    #expect(
      found.out.contains("folder: \(folder)/keybackup can be written; Dropbox"), "\(found.out)")
    let second = try box.makeFolder("Sync")
    try Files.copy(box.folder, to: second + "/keybackup")
    try box.setUpSyncthing(second)
    let several = try await box.keybackup(
      ["doctor"], pin: .none, environment: box.unnamed, expecting: 90)
    #expect(several.out.contains("2 sync folders on this computer hold a backup"), "\(several.out)")
    #expect(several.out.contains("--folder \(folder)/keybackup"), "\(several.out)")
  }
}

import TestSupport
import Testing

/// Folders of a backup that may not be read, or cannot be read now.
///
/// The content of the other folders comes back, and the folder in question is named.
@Suite struct UnlistedFolderTests {
  static let folders = [
    "wallets", "keybackup", "keybackup/keys", "keybackup/log", "keybackup/log/WRITER",
    "master-key",
  ]

  private static func path(_ folder: String, _ backup: PreparedBackup) -> String {
    let writer = backup.operations[0].split(separator: "/").dropLast().last.map(String.init)
    return backup.place + "/" + folder.replacing("WRITER", with: writer ?? "")
  }

  /// Whether it contains wallets, so that a failure to read it is a failure of the command.
  private static func holdsWallets(_ folder: String) -> Bool {
    folder == "wallets" || folder == "keybackup" || folder.contains("log")
  }

  @Test(arguments: folders)
  func `A forbidden folder stops nothing`(_ folder: String) async throws {
    let backup = try await PreparedBackup()
    let path = Self.path(folder, backup)
    try Files.setMode(path, 0o000)
    defer { try? Files.setMode(path, 0o700) }
    let restored = try await backup.box.keybackup(
      ["restore", "--json"], wrapper: Sandbox.withoutPrivilege, expecting: nil)
    #expect(restored.code == (Self.holdsWallets(folder) ? 87 : 0), "\(restored.text)")
    #expect(try restored.json()["restored"].number == 3)
    let name = folder.split(separator: "/")[0]
    #expect(restored.text.contains(name) && restored.text.contains("you may not read this folder"))
    for command in [["status"], ["verify"]] {
      let outcome = try await backup.box.keybackup(
        command, pin: .none, wrapper: Sandbox.withoutPrivilege, expecting: 77)
      #expect(outcome.out.contains("you may not read this folder"), "\(outcome)")
      #expect(!outcome.out.contains("synchronised yet. Wait"), "\(outcome)")
    }
  }

  @Test func `Small files come back where the objects may not be read`() async throws {
    let computers = try await FileComputers()
    let box = computers.box
    try Files.write("small", to: computers.files + "/small")
    try Files.write(String(repeating: "large", count: 2000), to: computers.files + "/large")
    try await computers.laptop(
      ["file", "add", computers.files + "/small", computers.files + "/large"])
    let path = computers.backup.place + "/keybackup/objects"
    try Files.setMode(path, 0o000)
    defer { try? Files.setMode(path, 0o700) }
    let out = box.root + "/restored"
    try Files.makeFolder(out)
    try Files.setMode(out, 0o777)
    let restored = try await box.keybackup(
      ["restore", "--out", out + "/here"], wrapper: Sandbox.withoutPrivilege, expecting: nil)
    #expect(restored.code == 87 && restored.text.contains("keybackup/objects"), "\(restored.text)")
    #expect(Files.tree(out).contains { $0.hasSuffix("/small") }, "\(Files.tree(out))")
    #expect(!Files.tree(out).contains { $0.hasSuffix("/large") })
  }

  @Test func `What silent writers wrote may be forbidden, and is not said to be on its way`()
    async throws
  {
    let computers = try await FileComputers()
    let box = computers.box
    try await computers.authoriseServer()
    try await computers.serverAdds("contents")
    try await computers.laptop(["file", "list"])
    let path = computers.backup.place + "/keybackup/sealed"
    try Files.setMode(path, 0o000)
    defer { try? Files.setMode(path, 0o700) }
    let status = try await box.keybackup(
      ["status"], pin: .none, wrapper: Sandbox.withoutPrivilege, expecting: 77)
    #expect(status.out.contains("permissions of keybackup/sealed"), "\(status.out)")
    for command in [
      ["verify"], ["verify", "--deep"], ["file", "list"], ["restore"],
      ["restore", "--only", "files"],
    ] {
      let outcome = try await box.keybackup(
        command, pin: command == ["verify"] ? .none : .file, wrapper: Sandbox.withoutPrivilege,
        expecting: nil)
      #expect(outcome.text.contains("you may not read this folder"), "\(outcome)")
      for word in ["Wait, then", "wait until", "are not here", "No files yet"] {
        #expect(!outcome.text.contains(word), "\(outcome)")
      }
    }
  }

  @Test func `A file in the place of a folder has to go, and no other folder is asked for`()
    async throws
  {
    let backup = try await PreparedBackup()
    let path = backup.place + "/wallets"
    try Files.remove(path)
    try Files.write("in the way", to: path)
    let refused = try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "new").utf8),
      expecting: nil)
    expectFailure(refused, 66, says: "is not a folder", "look at what put it there")
    #expect(!refused.err.contains("name the synced folder"), "\(refused.err)")
    let other = try await backup.box.keybackup(
      ["wallet", "list", "--folder", path], expecting: nil)
    expectFailure(other, 66, says: "is not a folder")
  }

  @Test func `Without any readable folder it is a matter of permission`() async throws {
    let backup = try await PreparedBackup()
    let paths = ["wallets", "keybackup/log"].map { Self.path($0, backup) }
    for path in paths { try Files.setMode(path, 0o000) }
    defer { for path in paths { try? Files.setMode(path, 0o700) } }
    let restored = try await backup.box.keybackup(
      ["restore"], wrapper: Sandbox.withoutPrivilege, expecting: nil)
    #expect([77, 87].contains(restored.code), "\(restored.text)")
    #expect(!restored.text.contains("holds no wallets"), "\(restored.text)")
  }

  /// Operations that could not be listed are not gone.
  @Test(arguments: ["keybackup/log", "keybackup/log/WRITER", "keybackup"])
  func `A log that cannot be listed is no rollback`(_ folder: String) async throws {
    let backup = try await PreparedBackup()
    try await backup.box.keybackup(["wallet", "list"])
    let path = Self.path(folder, backup)
    try Files.setMode(path, 0o000)
    let status = try await backup.box.keybackup(
      ["status"], pin: .none, wrapper: Sandbox.withoutPrivilege, expecting: 77)
    #expect(!status.out.contains("older than what this computer has seen"), "\(status)")
    // Nothing is written by a run that has not seen them.
    let added = try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "new").utf8),
      wrapper: Sandbox.withoutPrivilege, expecting: nil)
    expectFailure(added, 77, says: "you may not use")
    try Files.setMode(path, 0o700)
    let again = try await backup.box.keybackup(["wallet", "list", "--json"])
    #expect(try again.json()["wallets"].items.count == 3)
  }

  @Test(arguments: [
    ("opendir", "EIO"), ("opendir", "ESTALE"), ("opendir", "ETIMEDOUT"), ("readdir", "EIO"),
    ("readdir", "ESTALE"), ("readdir", "ENOENT"), ("readdir", "EAGAIN"),
  ])
  func `A listing that fails is not an empty folder`(_ call: String, _ error: String) async throws {
    let mounted = try await BlockedFileTests.Mounted()
    let backup = mounted.backup
    for folder in ["wallets", "log"] {
      try mounted.system.tell("rule op=\(call) name=\(folder) errno=\(error)")
      let restored = try await backup.box.keybackup(["restore", "--json"], expecting: nil)
      #expect([75, 87].contains(restored.code), "\(folder): \(restored.text)")
      #expect(try restored.json()["restored"].number == 3, "\(restored.text)")
      let status = try await backup.box.keybackup(["status"], pin: .none, expecting: 75)
      #expect(status.out.contains(folder), "\(status)")
      #expect(!status.out.contains("older than"), "\(status)")
      try mounted.system.tell("clear")
    }
    try await backup.box.keybackup(["restore"])
  }
}

import Foundation
import Testing

/// What a person is told who uses the program for the first time, or makes a slip.
@Suite struct NewcomerAnswerTests {
  @Test func `A backup without wallets has no secrets to warn of`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    for arguments in [["restore"], ["restore", "--out", box.root + "/out", "--names"]] {
      let restored = try await box.keybackup(arguments)
      #expect(restored.out == "The backup in \(box.folder) holds no wallets.\n", "\(restored.text)")
      #expect(!restored.err.contains("unencrypted"), "\(restored.err)")
    }
  }

  @Test func `A path ends without a full stop`() async throws {
    let backup = try await PreparedBackup()
    let restored = try await backup.box.keybackup(["restore", "--out", backup.box.root + "/out"])
    #expect(restored.out == "Restored 3 wallets into \(backup.box.root)/out\n", "\(restored.out)")
  }

  // MARK: Names

  @Test func `Names in other letters are proposed, and never taken for the name`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let out = box.root + "/out"
    for command in [
      ["wallet", "show"], ["wallet", "remove", "--yes"],
      ["wallet", "export", "--format", "mnemonic", "--out", out],
      [
        "wallet", "export", "--covb", out, "--new-password-file", box.root + "/password",
        "--wallet",
      ],
    ] {
      let other = try await box.keybackup(command + ["NAME of First-Wallet"], expecting: 66)
      expectFailure(other, 66, says: "Did you mean \"Name of first-wallet\"")
      #expect(!Files.exists(out), "\(command)")
    }
    let near = try await box.keybackup(["wallet", "show", "Namn of first"], expecting: 66)
    expectFailure(near, 66, says: "Did you mean \"Name of first-wallet\"")
    // Two that differ in this only: each is found by its own name.
    let entries = [("a", "Spending"), ("b", "SPENDING")].map { Samples.entry(id: $0, name: $1) }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    let both = try await box.keybackup(["wallet", "show", "spending"], expecting: 66)
    expectFailure(both, 66, says: "Did you mean \"SPENDING\", \"Spending\"?")
    let exact = try await box.keybackup(["wallet", "show", "SPENDING"])
    #expect(exact.out.contains(/ID +b\n/), "\(exact.text)")
    try await box.keybackup(["wallet", "show", "Name of first-wallet"])
  }

  @Test func `A wallet whose files are not here yet is no other wallet`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "a", name: "Savings").utf8))
    let before = Set(backup.operations + backup.wallets)
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "b", name: "savings").utf8))
    for path in backup.operations + backup.wallets where !before.contains(path) {
      let count = try Files.read(path).count
      try Files.write([UInt8](repeating: 0, count: count), to: path)
    }
    let files = Files.tree(box.folder)
    for command in [["wallet", "show"], ["wallet", "remove", "--yes"]] {
      let told = try await box.keybackup(
        command + ["savings"], home: try box.newHome(), expecting: 87)
      expectFailure(told, 87, says: "no wallet \"savings\" could be read")
      #expect(told.out.isEmpty && Files.tree(box.folder) == files, "\(told.text)")
    }
    let listed = try await box.keybackup(
      ["wallet", "list"], home: try box.newHome(), expecting: nil)
    #expect(listed.out.contains("Savings"), "\(listed.text)")
  }

  @Test func `Names of keys in other letters are proposed`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let label = try await box.keybackup(
      ["key", "label", "GREEN", "Desk"], key: keys.only("blue"), expecting: 66)
    expectFailure(label, 66, says: "Did you mean \"green\"?")
    #expect(try await keys.ids("Desk").isEmpty)
    let near = try await box.keybackup(
      ["key", "remove", "reed", "--yes"], key: keys.only("blue"), expecting: 66)
    expectFailure(near, 66, says: "Did you mean \"red\"?")
  }

  @Test func `A key whose file is lost is no other key`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    try await box.keybackup(["key", "label", "green", "Blue"], key: keys.only("blue"))
    let blue = try #require(try await keys.ids("blue").first)
    let other = try await keys.ids("Blue")
    try Files.remove(try keys.place + "/keybackup/keys/\(blue).json")
    let files = Files.tree(box.folder)
    let trace = try await box.traced {
      let told = try await box.keybackup(
        ["key", "remove", "blue", "--yes"], key: keys.only("red"), expecting: 66)
      expectFailure(
        told, 66, says: "no way into the backup is called \"blue\"", "Did you mean \"Blue\"?")
    }
    #expect(trace.isEmpty, "\(trace)")
    #expect(try await keys.ids("Blue") == other && other.count == 1)
    #expect(Files.tree(box.folder) == files)
    try await keys.expectRestores(with: "green")
  }

  // MARK: A new wallet

  @Test(arguments: [
    ("1. abandon 2. about", "type only the words, with spaces between them"),
    ("abandon,about", "type only the words, with spaces between them"),
    ("", "nothing was typed"), (Samples.xprv, "run the command again with --xprv -"),
  ])
  func `Words that are typed wrongly`(_ typed: String, _ says: String) async throws {
    let box = try Sandbox()
    let told = try await box.keybackup(
      ["wallet", "add", "--name", "N", "--network", "bitcoin"],
      terminal: [.expect("BIP-39 words (hidden): "), .type(typed + "\n")], expecting: 65)
    #expect(told.screen.contains(says), "\(told.text)")
    #expect(!told.text.contains("check the file"), "\(told.text)")
  }

  @Test func `A network is known in any letters`() async throws {
    let backup = try await PreparedBackup()
    let added = try await backup.box.keybackup(
      ["wallet", "add", "--name", "N", "--network", "Bitcoin", "--mnemonic", "-", "--json"],
      input: Array(Samples.mnemonic.utf8))
    #expect(try added.json()["id"].text != nil)
  }

  @Test func `Without a key nothing is added or removed, and that is said`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let added = try await box.keybackup(
      ["wallet", "add", "--name", "N", "--network", "bitcoin", "--mnemonic", "-"],
      key: ["--no-key"], input: Array(Samples.mnemonic.utf8), expecting: 69)
    expectFailure(added, 69, says: "hint: nothing was added")
    let removed = try await box.keybackup(
      ["key", "remove", "green", "--yes"], key: ["--no-key"], expecting: 69)
    expectFailure(removed, 69, says: "hint: nothing was removed")
  }

  // MARK: Codes and words to compare

  @Test func `A wrong character in a recovery code`() async throws {
    let kit = try await PreparedKit()
    let last: Character = kit.code.hasSuffix("0") ? "1" : "0"
    try Files.write(
      String(kit.code.dropLast()) + String(last), to: kit.box.root + "/wrong", mode: 0o600)
    let told = try await kit.box.keybackup(
      ["restore", "--recovery-code-file", kit.box.root + "/wrong"], key: ["--no-key"], pin: .none,
      expecting: 65)
    expectFailure(
      told, 65, says: "a character is wrong, or two changed places", "compare every group")
  }

  @Test func `A freshness word may be copied wrongly`() async throws {
    let backup = try await PreparedBackup()
    try await backup.box.keybackup(["restore"])
    let told = try await backup.box.keybackup(
      ["status", "--freshness", "0000-0000-0000-0000"], key: nil, pin: .none, expecting: 89)
    let verdict = told.out.prefix { $0 != "\n" }
    #expect(verdict.contains("or the word was copied wrongly"), "\(told.out)")
  }

  // MARK: Keys and copies

  @Test func `The credential that opened a backup is known by this computer's memory alone`()
    async throws
  {
    let backup = try await PreparedBackup()
    let box = backup.box
    let new = try await box.keybackup(["credential", "list", "--json"])
    #expect(try new.json()["credentials"][0]["opened_backup"].flag == false, "\(new.out)")
    try await box.keybackup(["restore"])
    let listed = try await box.keybackup(["credential", "list"])
    #expect(
      listed.err.contains("\(backup.credentialID) opened a backup on this computer."),
      "\(listed.text)")
  }

  @Test func `A conflict copy is explained, and its removal is told`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let own = try #require(backup.wallets.first)
    let copy = own.replacing(".json", with: " (conflicted copy).json")
    try Files.copy(own, to: copy)
    let deep = try await box.keybackup(["verify", "--deep"])
    #expect(deep.out.contains("1 wallet file may be a conflict copy"), "\(deep.out)")
    #expect(deep.out.contains("The log has all that is in them"), "\(deep.out)")
    let repaired = try await box.keybackup(["key", "repair"])
    #expect(repaired.out.contains("(conflicted copy).json"), "\(repaired.text)")
    #expect(!repaired.out.contains("Nothing to repair"), "\(repaired.text)")
    #expect(!Files.exists(copy))
    let again = try await box.keybackup(["key", "repair", "--json"])
    #expect(try again.json()["deleted_wallet_files"].items.isEmpty, "\(again.out)")
  }

  @Test(arguments: [" (conflicted copy).json", ".json.nextcloud"])
  func `Of a copy that could not be read nobody says that the log has it`(
    _ ending: String
  ) async throws {
    let backup = try await PreparedBackup()
    let own = try #require(backup.wallets.first)
    try Files.write(
      Array(try Files.read(own).prefix(200)), to: own.replacing(".json", with: ending))
    if ending.hasSuffix("nextcloud") { try Files.remove(own) }
    let isGone = ending.hasSuffix("nextcloud")
    let deep = try await backup.box.keybackup(["verify", "--deep"], expecting: isGone ? 75 : 0)
    #expect(!deep.out.contains("The log has all that is in them"), "\(deep.out)")
    let told = isGone ? "not synchronised yet" : "another file has this wallet"
    #expect(deep.out.contains(told), "\(deep.out)")
  }

  @Test func `A number outside of a choice is explained`() async throws {
    let box = try Sandbox()
    try box.setUpDropbox(try box.makeFolder("Dropbox"))
    let ended = try await box.keybackup(
      ["init"], environment: box.unnamed,
      terminal: [
        .expect("(1 to 2): "), .type("7\n"), .expect("Type one number from 1 to 2"),
        .expect("(1 to 2): "), .type("\u{4}"),
      ], expecting: 78)
    #expect(ended.stepsLeft.isEmpty, "\(ended.text)")
  }

  @Test func `A read-only folder is told before the PIN and the touch`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let before = box.trace.count
    let told = try await box.keybackup(["key", "repair"], readOnly: box.folder)
    #expect(told.code == 74 && told.err.contains("is on a read-only file system"), "\(told.text)")
    #expect(!box.trace.dropFirst(before).contains { $0.contains("TOUCH") })
  }

  @Test func `After the last way in was removed, nobody is told to wait for it`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["key", "remove", backup.keyID, "--last", "--yes"])
    for command in ["status", "restore"] {
      let told = try await box.keybackup([command], key: nil, pin: .none, expecting: 75)
      expectFailure(told, 75, says: "the last way into this backup was removed")
    }
  }

  // MARK: After a rotation

  /// A code from before: a slip at the comparison is no wish to stay, and the last words say what
  /// is missing.
  @Test func `The ID is asked for again, and the end says what is missing`() async throws {
    let kit = try await PreparedKit()
    let box = kit.box
    let rotated = try await box.keybackup(["rotate", "--master-key"])
    #expect(rotated.err.contains("was not used in this run. It will still work."), "\(rotated.err)")
    #expect(rotated.err.contains("Write this ID down now"), "\(rotated.err)")
    let question = "stay with the earlier backup): "
    let restored = try await box.keybackup(
      ["restore"] + kit.opening, key: ["--no-key"], pin: .none, home: try box.newHome(),
      terminal: [
        .expect(question), .type("12345678\n"), .expect("not the first 8 digits"),
        .expect(question), .type("\n"),
      ], expecting: 87)
    #expect(restored.stepsLeft.isEmpty, "\(restored.text)")
    let lines = restored.text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
    #expect(lines.last?.contains("wallets added since are not among them") == true, "\(lines)")
  }

  @Test func `A rotation says of which key slot the file is gone for good`() async throws {
    let kit = try await PreparedKit()
    let box = kit.box
    let folder = box.folder + "/cspp-namespaces"
    let before = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    try await box.keybackup(["rotate", "--master-key"])
    try FileManager.default.removeItem(atPath: "\(folder)/\(before)")
    let rotated = try await box.keybackup(["rotate", "--master-key"], expecting: nil)
    #expect(rotated.err.contains("It no longer opens this backup: its file was"), "\(rotated.text)")
    #expect(!rotated.err.contains("It will still work"), "\(rotated.text)")
  }
}

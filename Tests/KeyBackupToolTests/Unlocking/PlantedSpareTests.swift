import FoundationEssentials
import Testing

@testable import CommandKit

/// Files in `keys/` that somebody with access to the synced folder put there.
///
/// None counts as a spare, on no computer, and none of their claims is believed.
@Suite struct PlantedSpareTests {
  @Test(arguments: ["key", "code"])
  func `A planted file is no spare`(kind: String) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let planted = try await plant([kind, "--label", "Grandma safe"], in: backup)
    // A new computer knows nothing of any file, and says so.
    let new = try await status(box)
    #expect(new["keys"].number == 0 && new["ways"].items.count == 2)
    #expect(new["ways"].items.allSatisfy { $0["enrolled"] == .null })
    let text = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(text.out.contains("2, unconfirmed: this computer has not opened"), "\(text.out)")
    #expect(text.out.contains("verify --deep"))
    // With the master key at hand, the log tells.
    let deep = try await box.keybackup(["verify", "--deep", "--json"]).json()
    #expect(deep["keys"].number == 1, "\(deep)")
    #expect(enrolled(deep["ways"].items, planted) == .bool(false))
    #expect(deep["advice"].items.contains { $0.text?.contains("is not enrolled") == true })
    // The computer remembers what the log told.
    let known = try await status(box)
    #expect(known["keys"].number == 1)
    #expect(enrolled(known["ways"].items, planted) == .null)
    #expect(enrolled(known["ways"].items, backup.keyID) == .bool(true))
    let listed = try await box.keybackup(["key", "list"], key: nil, pin: .none)
    #expect(listed.out.contains(/Grandma safe .*unconfirmed/), "\(listed.out)")
    // What was just done is not proposed again.
    let again = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    for text in [listed.err, again.out] {
      #expect(text.contains("opened the whole log, which does not enrol it"), "\(text)")
      #expect(!text.contains("verify --deep"), "\(text)")
    }
    // Another computer's change may enrol it: this one has not opened it.
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "New").utf8),
      home: box.newHome())
    for command in [["key", "list"], ["status"]] {
      let told = try await box.keybackup(command, key: nil, pin: .none, expecting: nil)
      #expect(told.text.contains("verify --deep"), "\(told.text)")
    }
  }

  @Test func `A planted file is not called as the log says`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let planted = try await plant(["key", "--label", "Grandma safe"], in: backup)
    let file = backup.place + "/keybackup/keys/\(planted).json"
    let repaired = try await box.keybackup(["key", "repair"])
    #expect(repaired.out.contains("Nothing to repair"), "\(repaired.text)")
    #expect(repaired.err.contains("Not enrolled") && repaired.err.contains("Grandma safe"))
    // It gets no name, and the only key is not removed because of it.
    let labelled = try await box.keybackup(["key", "label", planted, "mine"], expecting: nil)
    expectFailure(labelled, 66, says: "no such way")
    let only = try await box.keybackup(
      ["key", "remove", backup.keyID, "--yes"], expecting: nil)
    #expect(only.code != 0 && Files.exists(backup.wrapper), "\(only.text)")
    // A user may remove it.
    #expect(Files.exists(file))
    try await box.keybackup(["key", "remove", planted, "--yes"])
    #expect(!Files.exists(file))
    #expect(try await status(box)["ways"].items.count == 1)
  }

  /// Nobody is told to delete the credential that a planted file names.
  @Test func `A copied file frees no slot of the key`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let green = try #require(try await keys.slots().first { $0["label"].text == "green" })
    let credential = try #require(green["credential_id"].text)
    let copy = try await plant(
      ["key", "--label", "old key", "--credential-id=" + credential],
      in: try await namespace(box), of: box)
    let removed = try await box.keybackup(
      ["key", "remove", "old key", "--yes"], key: keys.only("blue"))
    #expect(!removed.err.contains("credential delete"), "\(removed.err)")
    #expect(try await keys.slots().allSatisfy { $0["key_id"].text != copy })
    // As long as another file names it, the enrolled key's own is not named either.
    try await plant(
      ["key", "--label", "old key", "--credential-id=" + credential],
      in: try await namespace(box), of: box)
    let named = try await box.keybackup(
      ["key", "remove", "green", "--yes"], key: keys.only("blue"))
    #expect(!named.err.contains("credential delete"), "\(named.err)")
    let freed = try await box.keybackup(["key", "remove", "red", "--yes"], key: keys.only("blue"))
    // It is refused without, and this one is out of the log.
    let command = try #require(
      freed.err.firstMatch(of: /free its slot: keybackup (credential delete --force .*)\n/)
    ).1
    let words = command.split(separator: " ").map(String.init)
    try await box.keybackup(words, key: keys.only("red"))
    let listed = try await box.keybackup(["credential", "list", "--json"], key: keys.only("red"))
    #expect(try listed.json()["credentials"].items.isEmpty, "\(listed.text)")
  }

  @Test func `A credential ID that begins like an option is told apart`() {
    #expect(
      CredentialIDArgument.deletion(of: [0xFB, 0xEF, 0xBE])
        == "keybackup credential delete -- ----")
    #expect(CredentialIDArgument.deletion(of: [0, 0, 0]) == "keybackup credential delete AAAA")
  }

  /// The ID is in the name and readable by anyone: the file's content decides.
  @Test func `A file under an enrolled ID is no spare`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    try await box.keybackup(["verify", "--deep"], key: keys.only("blue"))
    let whole = try await box.keybackup(["status"], key: nil, pin: .none)
    #expect(whole.out.contains("green, security key, added"), "\(whole.out)")
    #expect(whole.out.contains("not yet tried alone"))
    let namespace = try await namespace(box)
    for name in ["green", "red"] {
      let id = try #require(try await keys.ids(name).first)
      try Files.remove(try keys.place + "/keybackup/keys/\(id).json")
      try await plant(["key", "--key-id", id, "--label", name], in: namespace, of: box)
    }
    #expect(try await status(box)["keys"].number == 1)
    let repaired = try await box.keybackup(["key", "repair", "--json"], key: keys.only("blue"))
    #expect(try repaired.json()["written"].items.count == 2, "\(repaired.text)")
    try await box.keybackup(["status"], key: nil, pin: .none)
    try await keys.expectRestores(with: "green")
    try await box.keybackup(["wallet", "list"], key: keys.only("green"))
    let tried = try await box.keybackup(["status"], key: nil, pin: .none)
    #expect(tried.out.contains("green, security key, last used"), "\(tried.out)")
  }

  // MARK: Kits

  /// Its page may never have been printed.
  @Test func `A kit that nobody tested is no spare`() async throws {
    let kit = try await PreparedKit()
    try Files.remove(kit.page)
    let made = try await kit.box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(made.out.contains("never tested"), "\(made.out)")
    #expect(made.out.contains("keybackup recovery-kit test"))
    #expect(try await status(kit.box)["keys"].number == 1)
    _ = try await kit.alone(["recovery-kit", "test"] + kit.opening)
    let tested = try await kit.box.keybackup(["status", "--json"], key: nil, pin: .none).json()
    #expect(tested["keys"].number == 2, "\(tested)")
    // Another computer has not seen that; opening with the code is as good as the test.
    let home = try kit.box.newHome()
    try await kit.box.keybackup(["verify", "--deep"], home: home)
    try await kit.box.keybackup(["status"], key: nil, pin: .none, home: home, expecting: 88)
    try await kit.box.keybackup(
      ["wallet", "list"] + kit.opening, key: ["--no-key"], pin: .none, home: home)
    try await kit.box.keybackup(["status"], key: nil, pin: .none, home: home)
  }

  /// An envelope only claims whose it is.
  @Test func `An envelope proves no kit`() async throws {
    let kit = try await PreparedKit()
    let text = try Files.text(kit.backup.envelope)
    try Files.remove(kit.backup.envelope)
    try Files.write(text.replacing(kit.backup.keyID, with: kit.keyID), to: kit.backup.envelope)
    try Files.remove(kit.backup.wrapper)
    try await kit.box.keybackup(["wallet", "list"])
    #expect(try await status(kit.box)["keys"].number == 0)
  }

  // MARK: One security key

  /// Its credentials are lost together, even if a rotation of the master key comes between.
  @Test(arguments: [["rotate", "--credential"], ["rotate"]])
  func `Two ways of one key are one`(rotation: [String]) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(rotation)
    #expect(try await status(box)["keys"].number == 1)
    let rotated = try await box.keybackup(["rotate", "--master-key", "--json"])
    #expect(!rotated.err.contains("box"), "\(rotated.err)")
    #expect(try rotated.json()["waiting"].items.isEmpty, "\(rotated.text)")
    let after = try await status(box)
    #expect(after["keys"].number == 1 && after["waiting"].items.isEmpty, "\(after)")
    try await box.keybackup(["restore"])
  }

  /// A key that was absent brings both of its key slots along, and still counts as one.
  @Test func `Two ways of an absent key are one`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    try await box.keybackup(["rotate", "--credential", "--key", "green"], key: keys.only("green"))
    let rotated = try await box.keybackup(
      ["rotate", "--master-key", "--json"], key: keys.only("blue")
    ).json()
    let new = try #require(rotated["namespace_id"].text)
    let before = try await box.keybackup(["status", "--json"], key: nil, pin: .none).json()
    #expect(before["keys"].number == 3, "\(before)")
    try await box.keybackup(["key", "repair", "--namespace", new], key: keys.only("green"))
    let after = try await box.keybackup(["status", "--json"], key: nil, pin: .none).json()
    #expect(after["keys"].number == 3, "\(after)")
  }

  // MARK: Helpers

  /// The JSON of `status` where one lost thing loses the backup, as far as this computer knows.
  private func status(_ box: Sandbox) async throws -> JSON {
    try await box.keybackup(["status", "--json"], key: nil, pin: .none, expecting: 88).json()
  }

  private func enrolled(_ slots: [JSON], _ id: String) -> JSON? {
    slots.first { $0["key_id"].text == id }.map { $0["enrolled"] }
  }

  private func namespace(_ box: Sandbox) async throws -> String {
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: nil)
    return try #require(try status.json()["namespace_id"].text)
  }

  /// Runs the attacker's program; returns the key ID of the file that it made.
  @discardableResult
  private func plant(
    _ arguments: [String], in backup: PreparedBackup
  ) async throws -> String {
    try await plant(arguments, in: backup.namespaceID, of: backup.box)
  }

  @discardableResult
  private func plant(
    _ arguments: [String], in namespace: String, of box: Sandbox
  ) async throws -> String {
    let made = try await box.run(
      Python.script("attacks/plant.py") + [arguments[0], box.folder, "--namespace", namespace]
        + arguments.dropFirst(), key: nil)
    return try #require(try JSON(made.output)["keys"][0]["key_id"].text, "\(made.text)")
  }
}

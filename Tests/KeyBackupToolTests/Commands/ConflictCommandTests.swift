import Testing

/// Two computers change a wallet without knowing of each other.
@Suite struct ConflictCommandTests {
  /// "first-wallet" is a mnemonic here and has other words on the second computer.
  private func conflicted() async throws -> (PreparedBackup, SecondComputer) {
    let backup = try await PreparedBackup()
    let second = try SecondComputer(backup.box)
    try second.part()
    try await second.keybackup(
      ["wallet", "import", "-"],
      input: Samples.entry(id: "first-wallet", name: "There", words: Samples.mnemonic))
    try await backup.box.keybackup(
      ["wallet", "import", "-"],
      input: Array(Samples.entry(id: "first-wallet", name: "Here").utf8))
    try await second.join()
    return (backup, second)
  }

  @Test func `Both versions are shown and restored until one is kept`() async throws {
    let (backup, second) = try await conflicted()
    let box = backup.box
    let deep = try await box.keybackup(["verify", "--deep", "--json"], expecting: 94).json()
    #expect(deep["wallets"]["conflict"].number == 1 && deep["wallets"]["current"].number == 2)
    #expect(deep["records"].items.map { $0["state"].text } == ["conflict"])
    #expect(deep["advice"].items.contains { $0.text?.contains("conflicts list") == true })
    try await box.keybackup(["restore", "--out", box.root + "/both"])
    #expect(Files.tree(box.root + "/both").count == 4)
    #expect(Files.tree(box.root + "/both").count { $0.hasSuffix("-conflict-1.json") } == 1)

    let list = try await box.keybackup(["conflicts", "list", "--json"]).json()
    let conflict = list["conflicts"][0]
    #expect(list["conflicts"].items.count == 1 && conflict["id"].text == "first-wallet")
    let versions = conflict["versions"].items
    #expect(Set(versions.compactMap { $0["name"].text }) == ["Here", "There"])
    #expect(Set(versions.compactMap { $0["writer_id"].text }).count == 2)
    #expect(versions.allSatisfy { ($0["written_at"].number ?? 0) > 1_700_000_000 })
    #expect(versions.allSatisfy { $0["version"].text?.count == 8 && $0["kind"].text == "mnemonic" })
    let table = try await second.keybackup(["conflicts", "list"])
    #expect(table.out.contains("Here") && table.out.contains("There"))

    let chosen = try #require(
      versions.first { $0["name"].text == "There" }?["version"].text)
    try await showsOneOfSeveral(box, chosen)
    let kept = try await second.keybackup(
      ["conflicts", "keep", "first-wallet", chosen, "--json"]
    ).json()
    #expect(kept["changed"].flag == true && kept["version"].text == chosen)
    for home in [box.home, second.home] {
      let after = try await box.keybackup(["wallet", "list", "--json"], home: home).json()
      #expect(after["wallets"].items.count == 3)
      #expect(after["wallets"].items.allSatisfy { $0["state"].text == "current" })
      #expect(after["wallets"].items.contains { $0["name"].text == "There" })
    }
    let none = try await box.keybackup(["conflicts", "list", "--json"]).json()
    #expect(none["conflicts"].items.isEmpty)
    let again = try await box.keybackup(["conflicts", "keep", "first-wallet", chosen, "--json"])
    #expect(try again.json()["changed"].flag == false)
  }

  /// A secret is never chosen among several.
  private func showsOneOfSeveral(_ box: Sandbox, _ chosen: String) async throws {
    let show = ["wallet", "show", "first-wallet"]
    let both = try await box.keybackup(show + ["--json"]).json()
    #expect(both["versions"].items.count == 2)
    let refused = try await box.keybackup(show + ["--reveal"], expecting: nil)
    expectFailure(refused, 90, says: "2 versions", chosen)
    let one = try await box.keybackup(
      show + ["--version-id", chosen, "--reveal", "--json"], secrets: true
    ).json()
    #expect(one["entry"]["secret"]["Mnemonic"].text == Samples.mnemonic)
    #expect(one["wallet"]["name"].text == "There")
    let file = box.root + "/one"
    try await box.keybackup(show + ["--version-id", chosen, "--out", file])
    #expect(try JSON(Files.read(file))["metadata"]["name"].text == "There")
  }

  @Test func `What is not there is not kept`() async throws {
    let (backup, _) = try await conflicted()
    let before = try Files.contents(backup.box.folder)
    let version = try await backup.box.keybackup(
      ["conflicts", "keep", "first-wallet", "00000000"], expecting: nil)
    expectFailure(version, 66, says: "no version 00000000", "its versions: ")
    let wallet = try await backup.box.keybackup(
      ["conflicts", "keep", "nobody", "00000000"], expecting: nil)
    expectFailure(wallet, 66, says: "nobody")
    #expect(try Files.contents(backup.box.folder) == before)
  }

  @Test func `Removing a conflicted wallet removes every version`() async throws {
    let (backup, second) = try await conflicted()
    let kept = try await backup.box.keybackup(
      ["wallet", "remove", "first-wallet"],
      terminal: [.expect("all 2 versions"), .type("n\n")], expecting: 85)
    #expect(kept.screen.contains("nothing was removed"))
    try await backup.box.keybackup(["wallet", "remove", "first-wallet", "--yes"])
    let left = try await second.keybackup(["wallet", "list", "--json"]).json()
    #expect(left["wallets"].items.count == 2)
  }

  @Test func `A change that a removal did not know is kept and said`() async throws {
    let backup = try await PreparedBackup()
    let second = try SecondComputer(backup.box)
    try second.part()
    try await second.keybackup(
      ["wallet", "import", "-"], input: Samples.entry(id: "first-wallet", name: "There"))
    try await backup.box.keybackup(["wallet", "remove", "first-wallet", "--yes"])
    try await second.join()
    let deep = try await backup.box.keybackup(["verify", "--deep", "--json"]).json()
    #expect(deep["wallets"]["current"].number == 3)
    #expect(deep["advice"].items.contains { $0.text?.contains("nothing is lost") == true })
    let list = try await backup.box.keybackup(["conflicts", "list", "--json"]).json()
    #expect(list["conflicts"].items.isEmpty)
    #expect(list["kept_against_removal"].items.count == 1)
    let restored = try await second.keybackup(["restore"])
    #expect(restored.err.contains("removed on one computer and changed on another"))
  }

  @Test func `Copies are seen without a key and found equal with it`() async throws {
    let backup = try await PreparedBackup()
    let copy = String(backup.wallets[0].dropLast(5)) + " (1).json"
    try Files.copy(backup.wallets[0], to: copy)
    let status = try await backup.box.keybackup(
      ["status"], key: ["--no-key"], pin: .none, expecting: 88)
    #expect(status.out.contains("a conflict copy"))
    try await backup.box.keybackup(["verify", "--deep"])
  }
}

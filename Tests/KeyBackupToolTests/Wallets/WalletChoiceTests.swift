import Testing

/// The choice of a wallet by name or ID, and entries that may not be imported.
@Suite struct WalletChoiceTests {
  /// Other wallets have a name equal to the ID of the requested one.
  @Test func `An ID that is another wallets name is ambiguous`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let entries =
      [Samples.entry(id: "alpha", name: "first", words: Samples.mnemonic)]
      + (0..<6).map { Samples.entry(id: "other-\($0)", name: "alpha") }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    for command in [
      ["wallet", "show", "alpha", "--reveal"], ["wallet", "remove", "alpha", "--yes"],
      ["wallet", "export", "alpha", "--format", "mnemonic", "--reveal"],
    ] {
      let outcome = try await box.keybackup(command, expecting: nil)
      expectFailure(outcome, 90, says: "(\"first\")", "other-5 (\"alpha\")")
    }
    // The hint names it by what is nobody's name.
    let wallets = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
    #expect(wallets.count == 7)
    let record = try #require(wallets.first { $0["id"].text == "alpha" }?["record_id"].text)
    let hinted = try await box.keybackup(["wallet", "show", "alpha"], expecting: 90)
    #expect(hinted.err.contains("\(record.prefix(8)) (\"first\")"), "\(hinted.err)")
    let shown = try await box.keybackup(
      ["wallet", "show", String(record.prefix(8)), "--reveal", "--json"], secrets: true
    ).json()
    #expect(shown["wallet"]["id"].text == "alpha")
    #expect(shown["entry"]["secret"]["Mnemonic"].text == Samples.mnemonic)
    let several = try await box.keybackup(["wallet", "show", "alpha "], expecting: nil)
    expectFailure(several, 66, says: "alpha")
  }

  /// Somebody who may add wallets chose the digits that a list shows of another one.
  @Test func `An ID that a list shows of another wallet is ambiguous`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let id = "4f8a12c9d0e7b3651122334455667788"
    let entries = [
      Samples.entry(id: id, name: "mine", words: Samples.mnemonic),
      Samples.entry(id: String(id.prefix(8)), name: "planted"),
    ]
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    let outcome = try await box.keybackup(
      ["wallet", "show", String(id.prefix(8))], expecting: nil)
    expectFailure(outcome, 90, says: "(\"mine\")", "(\"planted\")")
    let wallets = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
    for wallet in wallets {
      let record = try #require(wallet["record_id"].text)
      #expect(outcome.err.contains(String(record.prefix(8))) || wallet["id"].text == id)
      let shown = try await box.keybackup(["wallet", "show", record, "--json"]).json()
      #expect(shown["wallet"]["id"] == wallet["id"])
    }
    try await box.keybackup(["wallet", "show", String(id.prefix(9))])
    // An ID that is typed whole means that wallet, also where another one's begins with it. A
    // record ID does so whatever others are called.
    let record = try #require(wallets.first { $0["id"].text == id }?["record_id"].text)
    let planted = [
      Samples.entry(id: id + "x", name: record), Samples.entry(id: record + "x", name: "mine"),
    ]
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(planted.joined(separator: "\n").utf8))
    for selector in [id, record] {
      let shown = try await box.keybackup(["wallet", "show", selector, "--json"]).json()
      #expect(shown["wallet"]["id"].text == id)
    }
  }

  @Test func `A hyphen is standard output`() async throws {
    let backup = try await PreparedBackup()
    let file = backup.box.root + "/entry"
    try await backup.box.keybackup(["wallet", "show", "first-wallet", "--out", file])
    let show = ["wallet", "show", "first-wallet", "--out", "-"]
    let printed = try await backup.box.keybackup(show, secrets: true)
    #expect(try printed.output == Files.read(file))
    let shown = try await backup.box.keybackup(
      show, terminal: [], standardOutput: .terminal, expecting: nil)
    #expect(shown.code == 64 && shown.screen.contains("--reveal"), "\(shown)")
    let json = try await backup.box.keybackup(show + ["--json"], expecting: nil)
    try expectFailure(json, 64, word: "usage")
  }

  /// "There is no such wallet" is only reported if everything could be read.
  @Test func `A wallet that is gone from the folder is not denied`() async throws {
    let backup = try await PreparedBackup()
    let absent = ["wallet", "show", "never-was"]
    let none = try await backup.box.keybackup(absent, expecting: nil)
    expectFailure(none, 66, says: "there is no wallet")
    for file in backup.operations { try Files.remove(file) }
    let gone = try await backup.box.keybackup(absent, expecting: nil)
    expectFailure(gone, 89, says: "could be read")
  }

  /// A user is asked first; a script is believed.
  @Test func `Removing asks at a terminal only`() async throws {
    let backup = try await PreparedBackup()
    let before = try Files.contents(backup.box.folder)
    let remove = ["wallet", "remove", "first-wallet"]
    let kept = try await backup.box.keybackup(
      remove, terminal: [.expect("from the backup?"), .type("n\n")], expecting: 85)
    #expect(kept.screen.contains("nothing was removed"))
    #expect(try Files.contents(backup.box.folder) == before)
    try await backup.box.keybackup(remove + ["--no-input"])
    let left = try await backup.box.keybackup(["wallet", "list", "--json"]).json()
    #expect(left["wallets"].items.count == 2)
  }

  /// An entry that cannot be stored is refused before a PIN and a touch are asked for.
  @Test func `A line that is too long costs no touch`() async throws {
    let backup = try await PreparedBackup()
    let long = Samples.entry(id: "long", name: String(repeating: "x", count: 13 << 20))
    let asked = try await backup.box.traced {
      let refused = try await backup.box.keybackup(
        ["wallet", "import", "-"], input: Array(long.utf8), expecting: nil)
      expectFailure(refused, 65, says: "line 1", "larger than")
    }
    #expect(asked.isEmpty)
  }

  /// Waiting for the sync program would not help, so the error is not "try again".
  @Test func `A line of zero bytes is invalid`() async throws {
    let backup = try await PreparedBackup()
    let refused = try await backup.box.keybackup(
      ["wallet", "import", "-"], input: [0, 0, 10], expecting: nil)
    expectFailure(refused, 65, says: "line 1")
  }
}

import Testing

/// IDs are shown by as many digits as tell them apart, and any beginning that only one has is
/// taken wherever an ID is.
@Suite struct ShortIDTests {
  private static func box(_ wallets: [(id: String, name: String)]) async throws -> Sandbox {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let entries = wallets.map { Samples.entry(id: $0.id, name: $0.name) }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    return box
  }

  private static let one = "ab23456789abcdefab23456789abcdef"
  private static let two = "ab23456789ffffffab23456789abcdef"
  private static let three = "99aa7766554433221100aabbccddeeff"

  @Test func `As many digits as are needed`() async throws {
    let box = try await Self.box([(Self.one, "One"), (Self.two, "Two"), (Self.three, "Three")])
    let list = try await box.keybackup(["wallet", "list"])
    let ids = list.out.split(separator: "\n").dropFirst().compactMap {
      $0.split(separator: " ").last
    }
    #expect(Set(ids) == ["ab23456789a", "ab23456789f", "99aa7766"], "\(list.out)")
    let json = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(
      Set(json["wallets"].items.compactMap { $0["id"].text }) == [Self.one, Self.two, Self.three])
    // Each is taken as it is shown.
    for (id, name) in [("ab23456789a", "One"), ("ab23456789f", "Two"), ("99aa7766", "Three")] {
      let shown = try await box.keybackup(["wallet", "show", id])
      #expect(shown.out.contains(name), "\(shown.out)")
    }
  }

  @Test func `Every command takes a beginning`() async throws {
    let box = try await Self.box([(Self.one, "One"), (Self.three, "Three")])
    let out = box.root + "/words"
    try await box.keybackup(
      ["wallet", "export", "99aa", "--format", "mnemonic", "--out", out])
    #expect(try Files.text(out) == Samples.otherMnemonic + "\n")
    try await box.keybackup(
      [
        "wallet", "export", "--covb", box.root + "/x.covb", "--wallet", "99aa",
        "--new-password-file", box.root + "/password",
      ])
    try Files.write(Samples.labels, to: box.root + "/labels")
    try await box.keybackup(
      ["wallet", "import", "--format", "labels", "--wallet", "99aa", box.root + "/labels"])
    let record = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
      .first { $0["id"].text == Self.one }?["record_id"].text
    let shown = try await box.keybackup(
      ["wallet", "show", String(try #require(record).prefix(10))])
    #expect(shown.out.contains("One"), "\(shown.out)")
    try await box.keybackup(["wallet", "remove", "99aa", "--yes"])
    let left = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
    #expect(left.compactMap { $0["id"].text } == [Self.one])
  }

  /// It may be a name, which is encrypted: only the open backup tells.
  @Test func `Too short a beginning is answered with how many it takes`() async throws {
    let box = try await Self.box([(Self.one, "One"), (Self.three, "ab")])
    let named = try await box.keybackup(["wallet", "show", "ab"])
    #expect(named.out.contains(Self.three), "\(named.out)")
    for arguments in [["wallet", "show", "99a"], ["wallet", "remove", "99a", "--yes"]] {
      let told = try await box.keybackup(arguments, expecting: nil)
      expectFailure(told, 66, says: "the start of an ID has at least 4 characters")
    }
    // Names of ways in are known without the key.
    let trace = try await box.traced {
      let told = try await box.keybackup(["key", "remove", "99a", "--yes"], expecting: nil)
      expectFailure(told, 66, says: "the start of an ID has at least 4 characters")
    }
    #expect(trace == [], "\(trace)")
  }

  @Test func `Several that fit are listed`() async throws {
    let box = try await Self.box([(Self.one, "One"), (Self.two, "Two")])
    for command in [
      ["wallet", "show", "ab234567"], ["wallet", "remove", "ab23", "--yes"],
      ["wallet", "export", "ab234567", "--format", "mnemonic", "--reveal"],
      [
        "wallet", "export", "--covb", box.root + "/x.covb", "--wallet", "ab23",
        "--new-password-file", box.root + "/password",
      ],
    ] {
      let outcome = try await box.keybackup(command, expecting: nil)
      expectFailure(outcome, 90, says: "ab23456789a (\"One\")", "ab23456789f (\"Two\")")
    }
    let left = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
    #expect(left.count == 2)
    // Three digits are a name, and none has it.
    try await box.keybackup(["wallet", "show", "ab2"], expecting: 66)
  }

  /// Somebody else chose the name: which wallet is meant is not guessed.
  @Test func `A name like another wallets shown ID is ambiguous`() async throws {
    let box = try await Self.box([(Self.three, "Three"), ("other-wallet-of-mine", "99aa7766")])
    let outcome = try await box.keybackup(
      ["wallet", "show", "99aa7766", "--reveal"], expecting: nil)
    expectFailure(outcome, 90, says: "(\"Three\")", "(\"99aa7766\")")
    let capitals = try await box.keybackup(["wallet", "show", "99AA77665"])
    #expect(capitals.out.contains("Three"))
    // The whole ID is nobody else's.
    let shown = try await box.keybackup(["wallet", "show", Self.three])
    #expect(shown.out.contains("Three"))
  }

  /// What names nothing is refused before anybody touches a key.
  @Test func `Nothing is no selector`() async throws {
    let backup = try await PreparedBackup()
    let asked = try await backup.box.traced {
      for command in [
        ["wallet", "show", ""], ["wallet", "remove", " ", "--yes"],
        ["wallet", "export", "", "--format", "mnemonic", "--reveal"],
        ["wallet", "export", "--covb", "/nowhere/x", "--wallet", ""],
        ["wallet", "import", "--format", "labels", "--wallet", "", "-"],
        ["wallet", "show", "first-wallet", "--version-id", ""],
        ["wallet", "keep", "", "00000000"], ["wallet", "keep", "first-wallet", ""],
        ["wallet", "history", ""], ["wallet", "show", "first-wallet", "--version", ""],
        ["conflicts", "keep", "", "00000000"], ["conflicts", "keep", "first-wallet", ""],
        ["key", "remove", ""], ["key", "label", "", "New name"], ["rotate", "--key", ""],
        ["writers", "retire", ""], ["recovery-kit", "revoke", ""], ["status", "--namespace", ""],
        ["wallet", "list", "--namespace", "xyz"],
      ] {
        let outcome = try await backup.box.keybackup(
          command, pin: command[0] == "status" ? .none : .file, expecting: nil)
        #expect(outcome.code == 64, "\(command): \(outcome.text)")
      }
      // What can be looked up without the key is.
      for command in [
        ["key", "remove", "nobody", "--yes"], ["key", "label", "nobody", "New name"],
        ["rotate", "--key", "nobody"], ["wallet", "list", "--namespace", "0bad0bad"],
      ] {
        let outcome = try await backup.box.keybackup(command, expecting: nil)
        #expect([66, 90].contains(outcome.code), "\(command): \(outcome.text)")
      }
    }
    #expect(!asked.contains { $0.hasSuffix("TOUCH") }, "\(asked)")
  }

  // MARK: Backups and ways in

  @Test func `A backup is named by a beginning`() async throws {
    let backup = try await PreparedBackup()
    let id = backup.namespaceID
    for digits in [4, 8, 31, 32] {
      let list = try await backup.box.keybackup(
        ["key", "list", "--json", "--namespace", String(id.prefix(digits))], key: nil, pin: .none)
      #expect(try list.json()["keys"].items.count == 1)
    }
    try await backup.box.keybackup(
      ["key", "list", "--namespace", id.prefix(8).uppercased()], key: nil, pin: .none)
    let twin = String(id.prefix(12)) + String(repeating: "0", count: 20)
    try Files.copy(
      backup.place, to: backup.box.folder + "/cspp-namespaces/" + twin)
    let several = try await backup.box.keybackup(
      ["key", "list", "--namespace", String(id.prefix(12))], key: nil, pin: .none, expecting: nil)
    expectFailure(several, 90, says: id, twin)
    let other = id.hasPrefix("0") ? "1111" : "0000"
    let none = try await backup.box.keybackup(
      ["key", "list", "--namespace", other], key: nil, pin: .none, expecting: nil)
    expectFailure(none, 66, says: other, id)
  }

  /// Whoever writes to the folder chooses the ID in a file, but not what is enrolled.
  @Test func `A planted ID does not win over a label`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["init", "--label", "beef", "--json"]).json()
    let planted = "beef" + String(repeating: "0", count: 28)
    try await Attacker(box: box).plant(
      "key",
      [
        "--namespace", try #require(made["namespace_id"].text), "--key-id", planted, "--label",
        "other",
      ])
    // On the computer that knows what is enrolled the label is meant.
    let renamed = try await box.keybackup(["key", "label", "beef", "beef", "--json"]).json()
    #expect(renamed["key_ids"].items.compactMap(\.text) == [made["key_id"].text])
    // On another one nobody knows.
    let asked = try await box.traced {
      let unknown = try await box.keybackup(
        ["key", "label", "beef", "x"], home: try box.newHome(), expecting: nil)
      expectFailure(unknown, 90, says: "beef0000")
    }
    #expect(!asked.contains { $0.hasSuffix("TOUCH") }, "\(asked)")
  }

  @Test func `The ID in a hint is no other label`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let short = String(backup.keyID.prefix(8))
    // Digits only might be a PIN, which no message repeats.
    guard short.contains(where: \.isLetter) else { return }
    try await Attacker(box: box).plant(
      "key", ["--namespace", backup.namespaceID, "--label", short])
    let home = try box.newHome()
    let unclear = try await box.keybackup(
      ["key", "label", short, "mine"], home: home, expecting: nil)
    let longer = String(backup.keyID.prefix(9))
    expectFailure(unclear, 90, says: longer + " (")
    try await box.keybackup(["key", "label", longer, "mine"], home: home)
  }

  @Test func `Ways in are shown short`() async throws {
    let backup = try await PreparedBackup()
    let list = try await backup.box.keybackup(["key", "list"], key: nil, pin: .none)
    #expect(list.out.contains("  " + backup.keyID.prefix(8) + "\n"), "\(list.out)")
    let json = try await backup.box.keybackup(["key", "list", "--json"], key: nil, pin: .none)
    #expect(try json.json()["keys"][0]["key_id"].text == backup.keyID)
  }
}

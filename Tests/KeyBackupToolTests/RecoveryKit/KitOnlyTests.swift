import Testing

/// The messages when a recovery kit is the only key slot left; no kit is made whose code nobody
/// has.
@Suite struct KitOnlyTests {
  @Test func `A backup without security keys says what opens it`() async throws {
    let kit = try await PreparedKit()
    let remove = ["key", "remove", kit.backup.keyID, "--yes"]
    expectFailure(
      try await kit.box.keybackup(remove, expecting: nil), 80,
      says: "another way in than the one that you want to remove", "--recovery-code")
    let kits = try await kit.box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()
    let id = try #require(
      kits["keys"].items.first { $0["kind"].text == "recovery_code" }?["key_id"].text)
    let itself = try await kit.box.keybackup(
      ["key", "remove", id, "--yes"] + kit.opening, key: ["--no-key"], pin: .none, expecting: nil)
    expectFailure(itself, 80, says: "another way in than the recovery kit itself")
    _ = try await kit.box.keybackup(remove + kit.opening, key: ["--no-key"], pin: .none)
    let asked = try await kit.box.traced {
      for (arguments, says) in [
        (["restore"], "--recovery-code"), (["wallet", "list"], "--recovery-code"),
        (["rotate"], "key add"), (["rotate", "--master-key"], "key add"),
      ] {
        let outcome = try await kit.box.keybackup(arguments, expecting: nil)
        expectFailure(outcome, 80, says: says)
      }
    }
    #expect(asked.isEmpty)
    try await kit.box.keybackup(["key", "add"] + kit.opening)
    try await kit.box.keybackup(["restore"])
  }

  /// JSON is one object and comes last: if it cannot be written, nobody has the code.
  @Test func `A code that could not be shown opens nothing`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let create = ["recovery-kit", "create", "--json", "--reveal", "--offline"]
    let asked = try await box.traced {
      let nowhere = try await box.keybackup(create + [box.root + "/no/kit"], expecting: nil)
      try expectFailure(nowhere, 73, word: "cannot-create")
    }
    #expect(asked.isEmpty)
    let offline = box.root + "/kit.json"
    let full = try await box.keybackup(
      create + [offline], wrapper: ["sh", "-c", "exec \"$@\" >/dev/full", "sh"], expecting: nil)
    #expect(full.code == 74, "\(full)")
    #expect(!Files.exists(offline))
    let slots = try await box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()
    #expect(slots["keys"].items.map { $0["kind"].text } == ["security_key"])
    let deep = try await box.keybackup(["verify", "--deep"], expecting: nil)
    #expect(deep.code == 0, "\(deep.text)")
  }
}

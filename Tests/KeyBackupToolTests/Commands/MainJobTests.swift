import Testing

/// The main job: enrol, back up, a new computer, everything back.
@Suite struct MainJobTests {
  @Test func `Every kind of wallet comes back on a new computer`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["init", "--json", "--label", "Blue key"]).json()
    #expect(made["namespace_id"].text?.count == 32)
    #expect(made["rp_id"].text == "keybackup:")
    try Files.write(Samples.labels, to: box.root + "/labels.jsonl")
    try Files.write(Samples.descriptor + "\n", to: box.root + "/descriptor")
    let added: [(name: String, options: [String], input: String)] = [
      (
        "Savings \u{e4}",
        [
          "--mnemonic", "-", "--fingerprint", "73c5da0a",
          "--derivation-path", "m/84'/0'/0'", "--labels", box.root + "/labels.jsonl",
        ],
        Samples.mnemonic + "\n"
      ),
      ("Spending", ["--xprv", "-"], Samples.xprv),
      ("Cold", ["--descriptor", box.root + "/descriptor"], ""),
      ("Watch", ["--xpub", "-", "--id", "my-watch"], Samples.xpub),
    ]
    var ids: [String] = []
    for wallet in added {
      let json = try await box.keybackup(
        ["wallet", "add", "--json", "--name", wallet.name, "--network", "bitcoin"]
          + wallet.options, input: Array(wallet.input.utf8)
      ).json()
      ids.append(try #require(json["id"].text))
      #expect(json["record_id"].text?.count == 64)
    }
    #expect(ids[3] == "my-watch")
    let imported = Samples.entry(id: "imported-1", name: "Imported")
    try Files.write(imported + "\n\n", to: box.root + "/entries.jsonl")
    try await box.keybackup(["wallet", "import", box.root + "/entries.jsonl"])

    // A new computer: an empty home, the same folder, the same key.
    try Files.makeFolder(box.root + "/new-home")
    let home = box.root + "/new-home"
    let list = try await box.keybackup(["wallet", "list", "--json"], home: home).json()
    let rows = list["wallets"].items
    #expect(Set(rows.compactMap { $0["name"].text }) == Set(added.map(\.name) + ["Imported"]))
    #expect(
      Set(rows.compactMap { $0["kind"].text })
        == ["mnemonic", "xprv", "descriptor", "watch-only"])
    #expect(rows.allSatisfy { $0["state"].text == "current" })
    #expect(rows.first { $0["id"].text == ids[0] }?["fingerprint"].text == "73c5da0a")
    let table = try await box.keybackup(["wallet", "list"], home: home)
    #expect(table.out.contains("Savings \u{e4}") && table.out.contains("my-watch"))

    let restored = try await box.keybackup(
      ["restore", "--out", box.root + "/out", "--json"], home: home
    ).json()
    #expect(restored["restored"].number == 5 && restored["failed"].items.isEmpty)
    let files = try Files.contents(box.root + "/out")
    #expect(files.count == 5)
    #expect(files.keys.allSatisfy { $0.hasPrefix("wallet-") && $0.hasSuffix(".json") })
    #expect(Files.mode(box.root + "/out") == 0o700)
    #expect(files.keys.allSatisfy { Files.mode(box.root + "/out/" + $0) == 0o600 })
    let entries = try files.values.map { try JSON($0) }
    func entry(_ id: String) -> JSON { entries.first { $0["wallet_id"].text == id } ?? .null }
    #expect(entry(ids[0])["secret"]["Mnemonic"].text == Samples.mnemonic)
    #expect(entry(ids[0])["labels_count"].number == 2)
    #expect(entry(ids[0])["labels_uncompressed_size"].number == Samples.labels.utf8.count)
    #expect(entry(ids[0])["metadata"]["master_fingerprint"].text == "73c5da0a")
    #expect(entry(ids[1])["secret"]["Xprv"].text == Samples.xprv)
    #expect(entry(ids[2])["secret"]["Descriptor"].text?.hasPrefix(Samples.descriptor) == true)
    #expect(entry("my-watch")["secret"].text == "WatchOnly")
    #expect(entry("my-watch")["xpub"].text == Samples.xpub)
    // Another program's entry comes back byte for byte, except for our mark.
    let bytes = try #require(
      files.values.first {
        String(decoding: $0, as: UTF8.self)
          .contains("imported-1")
      })
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(imported.dropLast()))
    #expect(entry("imported-1")["keybackup"]["counter"].number == 6)

    // Restoring again gives the same bytes, into the same folder too.
    try await box.keybackup(["restore", "--out", box.root + "/again"], home: home)
    #expect(try Files.contents(box.root + "/again") == files)
    try await box.keybackup(["restore", "--out", box.root + "/out"], home: home)
    #expect(try Files.contents(box.root + "/out") == files)

    try await lookAndRemove(box, ids, home)
  }

  private func lookAndRemove(_ box: Sandbox, _ ids: [String], _ home: String) async throws {
    let before = try Files.contents(box.folder)
    try await box.keybackup(["verify"], key: ["--no-key"], pin: .none)
    let deep = try await box.keybackup(["verify", "--deep", "--json"], home: home).json()
    #expect(deep["wallets"]["current"].number == 5)
    for state in ["conflict", "missing", "rolled-back", "unreadable", "incomplete", "foreign"] {
      #expect(deep["wallets"][state].number == 0, "\(state)")
    }
    let status = try await box.keybackup(
      ["status", "--json"], key: ["--no-key"], pin: .none, expecting: 88)
    #expect(try status.json()["keys"].number == 1)
    #expect(try status.json()["advice"].items.isEmpty == false)
    // Restore, verify, list and status only read.
    #expect(try Files.contents(box.folder) == before)

    let keys = try await box.keybackup(["key", "list", "--json"], key: ["--no-key"], pin: .none)
    let key = try keys.json()["keys"][0]
    #expect(key["label"].text == "Blue key" && key["kind"].text == "security_key")
    #expect(key["discoverable"].flag == true)

    let shown = try await box.keybackup(["wallet", "show", "Watch"])
    #expect(shown.out.contains("my-watch"))
    let hidden = try await box.keybackup(["wallet", "show", ids[0], "--json"])
    #expect(try hidden.json()["wallet"]["id"].text == ids[0])
    let revealed = try await box.keybackup(["wallet", "show", ids[0], "--reveal"], secrets: true)
    #expect(revealed.out.contains(Samples.mnemonic))
    let missing = try await box.keybackup(["wallet", "show", "nobody"], expecting: nil)
    expectFailure(missing, 66, says: "nobody")

    try await box.keybackup(["wallet", "remove", "my-watch", "--yes"])
    let left = try await box.keybackup(["wallet", "list", "--json"], home: home).json()
    #expect(left["wallets"].items.count == 4)
    #expect(!left["wallets"].items.contains { $0["id"].text == "my-watch" })
    let count = try await box.keybackup(["restore", "--json"], home: home).json()
    #expect(count["restored"].number == 4)
  }

  @Test func `Init refuses a folder that holds a backup`() async throws {
    let backup = try await PreparedBackup()
    let before = try Files.contents(backup.box.folder)
    let trace = try await backup.box.traced {
      let outcome = try await backup.box.keybackup(["init"], expecting: nil)
      expectFailure(outcome, 73, says: "holds a backup already", backup.namespaceID)
      let json = try await backup.box.keybackup(["init", "--json"], expecting: nil)
      try expectFailure(json, 73, word: "namespace-exists")
    }
    #expect(trace.isEmpty, "the key was asked although nothing could come of it: \(trace)")
    #expect(try Files.contents(backup.box.folder) == before)
  }

  @Test func `An unstable key is not enrolled`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["init"], key: ["--fault", "hmac-secret-unstable"], expecting: nil)
    expectFailure(outcome, 86, says: "two different outputs")
    #expect(Files.tree(box.folder).isEmpty)
  }

  @Test func `A credential that takes no slot opens the backup too`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init", "--non-discoverable"])
    try await box.keybackup(
      ["wallet", "add", "--name", "One", "--network", "testnet", "--mnemonic", "-"],
      input: Array(Samples.mnemonic.utf8))
    let list = try await box.keybackup(["credential", "list", "--json"])
    #expect(try list.json()["credentials"].items.isEmpty)
    let restored = try await box.keybackup(["restore", "--json"], home: box.root + "/tmp")
    #expect(try restored.json()["restored"].number == 1)
  }

  @Test func `Of two keys the enrolled one opens`() async throws {
    let backup = try await PreparedBackup()
    let keys = ["--key", backup.box.root + "/other.json", "--key", backup.box.keyState]
    let json = try await backup.box.keybackup(["restore", "--json"], key: keys).json()
    #expect(json["restored"].number == 3)
  }

  @Test func `Another key opens nothing`() async throws {
    let backup = try await PreparedBackup()
    let other = ["--state", backup.box.root + "/other.json"]
    for command in [
      ["restore"], ["wallet", "list"], ["verify", "--deep"],
      ["wallet", "import", backup.box.root + "/pin"],
    ] {
      let trace = try await backup.box.traced {
        let outcome = try await backup.box.keybackup(command, key: other, expecting: nil)
        if command[0] != "wallet" || command[1] == "list" {
          expectFailure(outcome, 80, says: "does not open this backup")
        }
      }
      #expect(!trace.contains("TOUCH") && PINTests.tries(trace) == 0, "\(trace)")
    }
    let json = try await backup.box.keybackup(["restore", "--json"], key: other, expecting: nil)
    try expectFailure(json, 80, word: "wrong-key")
  }

  @Test func `A backups credential is not used for anything else`() async throws {
    let backup = try await PreparedBackup()
    // From then on this computer knows the credential.
    try await backup.box.keybackup(["wallet", "list"])
    let salt = ["derive", "--salt", "x"]
    let byRP = try await backup.box.keybackup(salt + ["--rp-id", "keybackup:"], expecting: nil)
    expectFailure(byRP, 64, says: "belong to backups")
    let byID = try await backup.box.keybackup(
      salt + ["--credential", backup.credentialID], expecting: nil)
    expectFailure(byID, 64, says: "opens a backup")
    let deleted = try await backup.box.keybackup(
      ["credential", "delete", backup.credentialID], expecting: nil)
    expectFailure(deleted, 64, says: "--force")
    try await backup.box.keybackup(["restore"])
  }

  @Test func `Importing is all or nothing`() async throws {
    let backup = try await PreparedBackup()
    let before = try Files.contents(backup.box.folder)
    let good = Samples.entry(id: "good", name: "Good")
    for bad in ["{", "[]", #"{"wallet_id":"x"}"#, good + good] {
      let outcome = try await backup.box.keybackup(
        ["wallet", "import", "-"], input: Array((good + "\n" + bad + "\n").utf8), expecting: nil)
      expectFailure(outcome, 65, says: "line 2", "nothing was imported")
    }
    #expect(try Files.contents(backup.box.folder) == before)
    #expect(!backup.box.trace.contains("TOUCH"))
  }
}

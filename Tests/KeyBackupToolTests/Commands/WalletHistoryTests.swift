import Testing

/// `wallet history`, `wallet show --version` and `wallet keep`.
@Suite struct WalletHistoryTests {
  /// A backup in which "first-wallet" was replaced and "second-wallet" removed.
  private struct Scene {
    let backup: PreparedBackup
    /// The versions as `wallet remove --json` and `wallet history --json` name them.
    let replaced: String
    let removed: String

    var box: Sandbox { backup.box }

    init() async throws {
      backup = try await PreparedBackup()
      let box = backup.box
      try await box.keybackup(
        ["wallet", "import", "-"],
        input: Array(
          Samples.entry(id: "first-wallet", name: "Renamed", words: Samples.mnemonic).utf8))
      let gone = try await box.keybackup(
        ["wallet", "remove", "second-wallet", "--yes", "--json"]
      ).json()
      #expect(gone["versions"].items.count == 1)
      removed = try #require(gone["versions"][0].text)
      let history = try await box.keybackup(["wallet", "history", "Renamed", "--json"]).json()
      let versions = history["wallets"][0]["versions"].items
      replaced = try #require(versions.last?["version"].text)
    }
  }

  @Test func `Every version is listed with what it is, and which one counts`() async throws {
    let scene = try await Scene()
    let box = scene.box
    let json = try await box.keybackup(["wallet", "history", "--json"]).json()
    let wallets = json["wallets"].items
    #expect(
      wallets.map { $0["id"].text } == ["second-wallet", "third-wallet", "first-wallet"])
    #expect(wallets.map { $0["state"].text } == ["removed", "current", "current"])
    #expect(
      wallets.map { $0["versions"].items.map { $0["state"].text } } == [
        ["removed"], ["current"], ["current", "replaced"],
      ])
    let versions = wallets[2]["versions"].items
    #expect(versions.map { $0["name"].text } == ["Renamed", "Name of first-wallet"])
    for version in wallets.flatMap({ $0["versions"].items }) {
      #expect(version["kind"].text == "mnemonic" && version["spending"].text == "full")
      #expect(version["version"].text?.count == 8 && version["writer_id"].text?.count == 32)
      #expect((version["written_at"].number ?? 0) > 1_700_000_000)
    }
    #expect(json["failed"].items.isEmpty)
    for version in wallets.flatMap({ $0["versions"].items }) {
      // It was added by the preparation, and removed by this computer.
      let here = wallets[2]["versions"][0]["writer_id"].text
      let isRemoved = version["state"].text == "removed"
      #expect((version["removed_by_id"].text == here) == isRemoved)
      #expect((version["removed_by"].text != nil) == isRemoved)
      #expect(((version["removed_at"].number ?? 0) > 1_700_000_000) == isRemoved)
    }

    let table = try await box.keybackup(["wallet", "history"])
    for text in ["Renamed", "Name of second-wallet", "replaced", "removed", scene.replaced] {
      #expect(table.out.contains(text), "\(table.out)")
    }
    #expect(table.err.contains("keybackup wallet keep WALLET VERSION"), "\(table.err)")
    #expect(table.err.contains("Name of second-wallet was removed by "), "\(table.err)")
    #expect(!table.err.contains("first-wallet was removed"), "\(table.err)")
    // One wallet by its ID, a name, a former name, the name of a removed one.
    for (selector, id) in [
      ("first-wallet", "first-wallet"), ("Renamed", "first-wallet"),
      ("Name of first-wallet", "first-wallet"), ("Name of second-wallet", "second-wallet"),
      ("third", "third-wallet"),
    ] {
      let one = try await box.keybackup(["wallet", "history", selector, "--json"]).json()
      #expect(one["wallets"].items.map { $0["id"].text } == [id], "\(selector)")
    }
    let whole = try await box.keybackup(["wallet", "history", "third-wallet"])
    #expect(!whole.err.contains("wallet keep"), "\(whole.err)")
    let none = try await box.keybackup(["wallet", "history", "nobody"], expecting: nil)
    expectFailure(none, 66, says: "there is no wallet \"nobody\"")
  }

  @Test func `The version that counts is first, then the newest`() async throws {
    let backup = try await PreparedBackup()
    let own = try OwnWorld(backup.box)
    for name in ["B", "C"] {
      // The clock has seconds.
      own.clock.advance(.seconds(2))
      try await own.run(
        ["wallet", "import", "-"], input: Samples.entry(id: "first-wallet", name: name))
    }
    func names() async throws -> [String?] {
      let json = try await backup.box.keybackup(["wallet", "history", "first", "--json"]).json()
      return json["wallets"][0]["versions"].items.map { $0["name"].text }
    }
    #expect(try await names() == ["C", "B", "Name of first-wallet"])
    let json = try await backup.box.keybackup(["wallet", "history", "first", "--json"]).json()
    let oldest = try #require(json["wallets"][0]["versions"].items.last?["version"].text)
    try await backup.box.keybackup(["wallet", "keep", "first-wallet", oldest])
    #expect(try await names() == ["Name of first-wallet", "C", "B"])
  }

  /// The stated fingerprint stays as it was: it is only what a program said.
  @Test func `Another secret has another number, and the import says how the first comes back`()
    async throws
  {
    let backup = try await PreparedBackup()
    let box = backup.box
    func add(_ name: String, _ words: String) async throws -> Outcome {
      try await box.keybackup(
        ["wallet", "import", "-"],
        input: Array(Samples.entry(id: "first-wallet", name: name, words: words).utf8))
    }
    let renamed = try await add("Renamed", Samples.otherMnemonic)
    #expect(!renamed.err.contains("wallet keep"), "\(renamed.err)")
    let replacing = try await add("Replaced", Samples.mnemonic)
    let line = try #require(replacing.err.firstMatch(of: /keybackup wallet keep (\w+) (\w+)/))
    let (_, record, version) = line.output
    func rows() async throws -> [[String?]] {
      let json = try await box.keybackup(["wallet", "history", "first-wallet", "--json"]).json()
      return json["wallets"][0]["versions"].items.map {
        [$0["name"].text, $0["secret_number"].number.map { "\(Int($0))" }]
      }
    }
    let expected = [["Replaced", "1"], ["Renamed", "2"], ["Name of first-wallet", "2"]]
    #expect(Set(try await rows()) == Set(expected))
    try await box.keybackup(["wallet", "keep", String(record), String(version)])
    #expect(try await rows().first == ["Renamed", "1"])
    let json = try await box.keybackup(
      ["wallet", "import", "-", "--json"],
      input: Array(Samples.entry(id: "first-wallet", name: "Again", words: Samples.mnemonic).utf8)
    ).json()
    #expect(json["replaced"].items.count == 1)
  }

  /// The table of all wallets has one row of numbers.
  @Test func `Two wallets with different secrets have different numbers`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let entries = [("one", Samples.mnemonic), ("other", Samples.otherMnemonic)].map {
      Samples.entry(id: $0, name: $0, words: $1)
    }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    let json = try await box.keybackup(["wallet", "history", "--json"]).json()
    let numbers = json["wallets"].items.filter { ["one", "other"].contains($0["id"].text) }
      .compactMap { $0["versions"][0]["secret_number"].number }
    #expect(numbers.count == 2 && numbers[0] != numbers[1], "\(json)")
    let alone = try await box.keybackup(["wallet", "history", "other", "--json"]).json()
    #expect(alone["wallets"][0]["versions"][0]["secret_number"].number == 1)
  }

  @Test func `What counted when the wallet was removed is above what had been replaced`()
    async throws
  {
    let scene = try await Scene()
    let box = scene.box
    try await box.keybackup(["wallet", "keep", "first-wallet", scene.replaced])
    try await box.keybackup(["wallet", "remove", "first-wallet", "--yes"])
    let json = try await box.keybackup(["wallet", "history", "first-wallet", "--json"]).json()
    let versions = json["wallets"][0]["versions"].items
    // The replaced one is the newer of the two.
    #expect(versions.map { $0["state"].text } == ["removed", "replaced"])
    #expect(versions.first?["version"].text == scene.replaced)
  }

  /// The program's own version would look like success.
  @Test func `The option --version after a command that has none is a mistake`() async throws {
    let scene = try await Scene()
    let box = scene.box
    for command in [
      ["wallet", "keep", "first-wallet", "--version", scene.replaced],
      ["wallet", "remove", "first-wallet", "--version", scene.replaced, "--yes"],
      ["wallet", "history", "--version"],
    ] {
      let outcome = try await box.keybackup(command, key: nil, pin: .none, expecting: nil)
      expectFailure(outcome, 64, says: "has no option '--version'")
    }
    let own = try await box.keybackup(["--version"], key: nil, pin: .none)
    #expect(own.out.hasPrefix("keybackup "))
  }

  @Test func `A version in conflict has one name in both lists`() async throws {
    let backup = try await PreparedBackup()
    let second = try SecondComputer(backup.box)
    try second.part()
    for (name, isSecond) in [("Here", false), ("There", true)] {
      let entry = Samples.entry(id: "first-wallet", name: name)
      if isSecond {
        try await second.keybackup(["wallet", "import", "-"], input: entry)
      } else {
        try await backup.box.keybackup(["wallet", "import", "-"], input: Array(entry.utf8))
      }
    }
    try await second.join()
    let conflicts = try await backup.box.keybackup(["conflicts", "list", "--json"]).json()
    let history = try await backup.box.keybackup(
      ["wallet", "history", "first-wallet", "--json"]
    ).json()["wallets"][0]
    #expect(history["state"].text == "conflict")
    func rows(_ wallet: JSON, _ state: String) -> [[String?]] {
      wallet["versions"].items.filter { $0["state"].text == state }.map { version in
        ["version", "name", "writer_id", "writer"].map { version[$0].text }
      }.sorted { ($0[1] ?? "") < ($1[1] ?? "") }
    }
    let both = rows(history, "conflict")
    #expect(both.count == 2 && both == rows(conflicts["conflicts"][0], "conflict"))
    #expect(rows(history, "replaced").map { $0[1] } == ["Name of first-wallet"])
    // Either command settles it.
    let chosen = try #require(both[1][0])
    try await backup.box.keybackup(["wallet", "keep", "first-wallet", chosen])
    let after = try await second.keybackup(["conflicts", "list", "--json"]).json()
    #expect(after["conflicts"].items.isEmpty)
    let shown = try await second.keybackup(["wallet", "show", "first-wallet", "--json"]).json()
    #expect(shown["wallet"]["name"].text == "There")
  }

  @Test func `An older version is shown, its secret only when asked for`() async throws {
    let scene = try await Scene()
    let box = scene.box
    let show = ["wallet", "show", "first-wallet", "--version", scene.replaced]
    let shown = try await box.keybackup(show)
    #expect(shown.out.contains(/STATE +replaced/) && shown.out.contains(scene.replaced))
    #expect(shown.out.contains("Name of first-wallet"), "\(shown.out)")
    let json = try await box.keybackup(show + ["--reveal", "--json"], secrets: true).json()
    #expect(json["entry"]["secret"]["Mnemonic"].text == Samples.otherMnemonic)
    #expect(json["wallet"]["state"].text == "replaced")
    // By the name that it has now.
    let now = try await box.keybackup(
      ["wallet", "show", "Renamed", "--version", scene.replaced, "--json"]
    ).json()
    #expect(now["wallet"]["name"].text == "Name of first-wallet")
    #expect(now["versions"][0]["version"].text == scene.replaced)
    // The one that counts is shown without a version.
    let current = try await box.keybackup(["wallet", "show", "first-wallet", "--json"]).json()
    #expect(current["wallet"]["name"].text == "Renamed")

    let gone = try await box.keybackup(["wallet", "show", "second-wallet"], expecting: nil)
    expectFailure(gone, 66, says: "there is no wallet", "keybackup wallet history")
    let file = box.root + "/removed"
    try await box.keybackup(
      ["wallet", "show", "second-wallet", "--version", scene.removed, "--out", file])
    #expect(try JSON(Files.read(file))["wallet_id"].text == "second-wallet")
    let words = box.root + "/words"
    try await box.keybackup(
      [
        "wallet", "export", "second-wallet", "--version", scene.removed, "--format", "mnemonic",
        "--out", words,
      ])
    #expect(try Files.text(words) == Samples.otherMnemonic + "\n")
  }

  @Test func `A replaced version counts again, once, and on every computer`() async throws {
    let scene = try await Scene()
    let box = scene.box
    let keep = ["wallet", "keep", "first-wallet", scene.replaced]
    let trace = try await box.traced {
      let kept = try await box.keybackup(keep + ["--json"]).json()
      #expect(kept["changed"].flag == true && kept["version"].text == scene.replaced)
      #expect(kept["id"].text == "first-wallet")
    }
    #expect(TrafficTests.Cost(trace).touches == 1 && TrafficTests.Cost(trace).pins == 1)
    let elsewhere = try await box.keybackup(
      ["wallet", "show", "first-wallet", "--reveal", "--json"], home: try box.newHome(),
      secrets: true
    ).json()
    #expect(elsewhere["entry"]["secret"]["Mnemonic"].text == Samples.otherMnemonic)
    #expect(elsewhere["wallet"]["state"].text == "current")
    try await box.keybackup(["verify", "--deep"])

    let before = try Files.contents(box.folder)
    let again = try await box.keybackup(keep)
    #expect(again.out.contains("is the current one already"), "\(again.text)")
    let json = try await box.keybackup(keep + ["--json"]).json()
    #expect(json["changed"].flag == false)
    #expect(try Files.contents(box.folder) == before)
  }

  @Test func `A removed wallet is back by the command that its removal printed`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let told = try await box.keybackup(["wallet", "remove", "third-wallet", "--yes"])
    let line = try #require(told.err.firstMatch(of: /keybackup wallet keep ([\w-]+) (\w+)/))
    let (_, record, version) = line.output
    // The ID is as the list shows it.
    #expect(record == "third-wallet")
    let list = ["wallet", "list", "--json"]
    #expect(try await box.keybackup(list).json()["wallets"].items.count == 2)
    let second = try SecondComputer(box)
    let kept = try await second.keybackup(["wallet", "keep", String(record), String(version)])
    #expect(kept.out.contains("counts again"), "\(kept.text)")
    let wallets = try await box.keybackup(list).json()["wallets"].items
    #expect(wallets.count == 3 && wallets.allSatisfy { $0["state"].text == "current" })
    #expect(backup.wallets.count == 3)
    let history = try await box.keybackup(["wallet", "history", "--json"]).json()
    #expect(history["wallets"].items.allSatisfy { $0["versions"].items.count == 1 })
  }

  @Test func `A removal names the record where another wallet fits the shown ID`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let entries = [("ab234567-longer-one", "One"), ("other", "ab234567")]
      .map { Samples.entry(id: $0.0, name: $0.1) }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    let removed = try await box.keybackup(["wallet", "remove", "One", "--yes"])
    let line = try #require(removed.err.firstMatch(of: /keybackup wallet keep ([\w-]+) (\w+)/))
    #expect(line.1.wholeMatch(of: /[0-9a-f]{8}/) != nil && line.1 != "ab234567", "\(line.0)")
    let kept = try await box.keybackup(["wallet", "keep", String(line.1), String(line.2)])
    #expect(kept.out.contains("\"One\" counts again"), "\(kept.text)")
  }

  @Test func `Nothing is brought back that is not meant`() async throws {
    let scene = try await Scene()
    let box = scene.box
    let entries = ["ab234567-one", "ab234567-two"].map { Samples.entry(id: $0, name: $0) }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    for id in ["ab234567-one", "ab234567-two"] {
      try await box.keybackup(["wallet", "remove", id, "--yes"])
    }
    let before = try Files.contents(box.folder)
    for command in [["wallet", "keep"], ["wallet", "show", "--version"]] {
      func line(_ wallet: String, _ version: String) -> [String] {
        command.count == 2
          ? command + [wallet, version] : ["wallet", "show", wallet, "--version", version]
      }
      let version = try await box.keybackup(line("second-wallet", "00000000"), expecting: nil)
      expectFailure(
        version, 66, says: "no version 00000000", "its versions: \(scene.removed)")
      // Another wallet's version is not this one's.
      let other = try await box.keybackup(line("third-wallet", scene.removed), expecting: nil)
      expectFailure(other, 66, says: "no version \(scene.removed)")
      let short = try await box.keybackup(line("second-wallet", "abc"), expecting: nil)
      expectFailure(short, 64, says: "keybackup wallet history")
      let nobody = try await box.keybackup(line("nobody", scene.removed), expecting: nil)
      expectFailure(nobody, 66, says: "there is no wallet \"nobody\"")
      let several = try await box.keybackup(line("ab234567", "00000000"), expecting: nil)
      expectFailure(several, 90, says: "ab234567-one", "ab234567-two")
    }
    #expect(try Files.contents(box.folder) == before)
  }

  /// A person removed a wallet, and added it again under the same name.
  @Test func `The version tells wallets of one name apart, and a second copy is named`()
    async throws
  {
    let backup = try await PreparedBackup()
    let box = backup.box
    func add(_ id: String) async throws {
      try await box.keybackup(
        ["wallet", "import", "-"],
        input: Array(Samples.entry(id: id, name: "Savings", words: Samples.mnemonic).utf8))
    }
    try await add("one")
    let gone = try await box.keybackup(["wallet", "remove", "one", "--yes", "--json"]).json()
    let version = try #require(gone["versions"][0].text)
    try await add("two")
    let both = try await box.keybackup(["wallet", "history", "Savings", "--json"]).json()
    #expect(Set(both["wallets"].items.compactMap { $0["id"].text }) == ["one", "two"])
    let kept = try await box.keybackup(["wallet", "keep", "Savings", version, "--json"])
    let json = try kept.json()
    #expect(json["id"].text == "one" && json["changed"].flag == true)
    #expect(json["same_as"].items.map { $0.text } == ["two"])
    #expect(json["same_name"].items.map { $0.text } == ["two"])
    #expect(kept.err.contains("has the same secret"), "\(kept.err)")
  }

  @Test func `After a rotation the old namespace has the history`() async throws {
    let scene = try await Scene()
    let box = scene.box
    try await box.keybackup(["rotate", "--master-key"])
    let json = try await box.keybackup(["wallet", "history", "--json"]).json()
    let versions = json["wallets"].items.flatMap { $0["versions"].items }
    #expect(versions.map { $0["state"].text } == ["current", "current"], "\(json)")
    let hint = "keybackup wallet history --namespace \(scene.backup.namespaceID)"
    let now = try await box.keybackup(["wallet", "history"])
    #expect(now.err.contains(hint), "\(now.err)")
    let advice = try await box.keybackup(["verify", "--deep"])
    #expect(advice.text.contains("alone has what was removed"), "\(advice.text)")
    try await box.keybackup(["wallet", "keep", "second-wallet", scene.removed], expecting: 66)
    let old = ["--namespace", scene.backup.namespaceID]
    let earlier = try await box.keybackup(
      ["wallet", "history", "second-wallet", "--json"] + old, expecting: nil
    ).json()
    #expect(earlier["wallets"][0]["versions"][0]["version"].text == scene.removed)
    let then = try await box.keybackup(["wallet", "history"] + old, expecting: nil)
    #expect(then.err.contains("then: keybackup wallet import FILE"), "\(then.err)")
    let list = try await box.keybackup(["wallet", "list"] + old, expecting: 87)
    #expect(list.err.contains("this is an earlier backup, \(scene.backup.namespaceID)"))
    // From there into the backup that is in charge.
    let file = box.root + "/removed"
    try await box.keybackup(
      ["wallet", "show", "second-wallet", "--version", scene.removed, "--out", file] + old,
      expecting: nil)
    try await box.keybackup(["wallet", "import", file])
    let back = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(back["wallets"].items.contains { $0["id"].text == "second-wallet" })
  }
}

import Foundation
import TestSupport
import Testing

/// A server without a security key adds wallets.
@Suite struct SilentWalletCommandTests {
  private static let words = Samples.mnemonic

  private func add(_ id: String, _ name: String = "From a script") -> [String] {
    [
      "wallet", "add", "--name", name, "--network", "bitcoin", "--mnemonic", "-", "--id", id,
      "--json",
    ]
  }

  @Test func `A server that may add files only is told how it could add wallets`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let added = try await computers.server(add("script-1"), input: Self.words, expecting: 69)
    #expect(added.text.contains("may add only files without a touch"), "\(added.text)")
    #expect(added.text.contains("keybackup writers request --new-key"), "\(added.text)")
  }

  @Test func `A wallet from a server counts at once, and its CSPP file follows`() async throws {
    let computers = try await FileComputers()
    let box = computers.box
    try await computers.authoriseServer(may: "all")
    let added = try await computers.server(add("script-1"), input: Self.words).json()
    #expect(added["silent"].flag == true && added["id"].text == "script-1")
    #expect(added["same_as"] == .null && added["fingerprint"].text?.count == 8)
    let record = try #require(added["record_id"].text)
    #expect(!Files.tree(box.folder).contains { $0.hasSuffix("wallet-\(record).json") })

    // Its history names the server.
    let history = try await computers.laptop(["wallet", "history", "script-1", "--json"]).json()
    let version = history["wallets"][0]["versions"][0]
    #expect(version["writer"].text == "node" && version["found"].flag == false, "\(version)")
    #expect(version["written_at"].number ?? 0 > 1_700_000_000, "\(version)")
    let table = try await computers.laptop(["wallet", "history", "script-1"])
    #expect(table.out.contains(" node ") && !table.out.contains("another program"), "\(table.out)")

    // The server knows that it waits.
    var status = try await computers.server(["status", "--json"], expecting: nil).json()
    #expect(status["waiting_wallets_here"].number == 1)
    #expect(status["silent_here"][0]["wallets"].number == 1)
    let shown = try await computers.server(["status"], expecting: nil)
    #expect(shown.out.contains("1 wallet that was added here without a touch has no CSPP file"))

    // A new computer restores it, and a reader that shares no code with this one sees it.
    let out = computers.target()
    let restored = try await computers.third(["restore", "--out", out, "--json"]).json()
    #expect(restored["restored"].number == 4)
    let entry = try Files.text(out + "/wallet-\(record).json")
    #expect(entry.contains("From a script") && entry.contains("abandon"))
    let theirs = box.root + "/theirs"
    let secret = try await computers.backup.prfOutput()
    let read = try await box.run(
      Python.script("reader/cspp_reader.py")
        + [box.folder, "--prf-output", secret, "--dump", theirs], key: nil)
    #expect(read.code == 0, "\(read.text)")
    #expect(try JSON(read.output)["silent"]["counts"][record].items.count == 1)
    #expect(try Files.contents(theirs) == Files.contents(out))

    // A report of a computer with the key says how many wait, and how to end that.
    let deep = try await computers.laptop(["verify", "--deep", "--json"], expecting: 75).json()
    #expect(deep["waiting_wallets"].number == 1)
    status = try await box.keybackup(["status", "--json"], pin: .none, expecting: nil).json()
    #expect(status["waiting_wallets"].number == 1)
    let repaired = try await computers.laptop(["key", "repair"])
    #expect(repaired.out.contains("1 wallet of computers without a key"), "\(repaired.text)")
    #expect(Files.tree(box.folder).contains { $0.hasSuffix("wallet-\(record).json") })
    try await computers.laptop(["verify", "--deep"])
    status = try await computers.server(["status", "--json"], expecting: nil).json()
    #expect(status["waiting_wallets_here"].number == 0)
    try await computers.third(["restore", "--out", out])
    let again = try await computers.backup.readByPython()
    #expect(again["silent"]["counts"] == .object([:]))
  }

  @Test func `A wallet that is too large to be added without a touch is added with one`()
    async throws
  {
    let computers = try await FileComputers()
    try await computers.laptop(["writers", "authorise", "--may", "wallets"])
    // They do not become smaller.
    let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
    let labels = computers.files + "/labels"
    let lines = try (0..<34_000).map { place in
      let letters = try random.read(upToCount: 189)?.base64EncodedString() ?? ""
      return #"{"type":"addr","ref":"bc1q\#(place)","label":"\#(letters)"}"#
    }
    try Files.write(lines.joined(separator: "\n") + "\n", to: labels)
    let line = add("large") + ["--labels", labels]
    let refused = try await computers.laptop(line, input: Self.words, expecting: nil)
    #expect(refused.code == 65, "\(refused.text)")
    #expect(
      refused.text.contains("cannot be added without a touch")
        && refused.text.contains("add --with-key"), "\(refused.text)")
    try await computers.laptop(line + ["--with-key"], input: Self.words)
  }

  @Test func `One ID is added once, and again if it is gone from the folder`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer(may: "wallets")
    try await computers.server(add("one"), input: Self.words)
    let again = try await computers.server(add("one"), input: Self.words, expecting: nil)
    #expect(again.code == 73 && again.text.contains("with this ID already"), "\(again.text)")
    let file = try #require(
      Files.tree(computers.box.folder).first { $0.contains("/sealed/") })
    try await computers.server(add("two"), input: Self.words)
    try Files.remove(computers.box.folder + "/" + file)
    try await computers.server(add("one"), input: Self.words)
    let restored = try await computers.third(
      ["restore", "--out", computers.target(), "--json"], expecting: nil
    ).json()
    #expect(restored["restored"].number == 5, "\(restored)")
  }

  @Test func `Only what was authorised counts, and a key may be asked for`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("contents")
    let refused = try await computers.server(add("one"), input: Self.words, expecting: nil)
    #expect(refused.code == 69, "\(refused.text)")
    // The right to add wallets comes to it, and its files stay its files.
    let answer = try await computers.authoriseServer(may: "wallets")
    #expect(answer["may"].items.map(\.text) == ["put"])
    try await computers.server(add("one"), input: Self.words)
    try await computers.serverAdds("new contents")
    let list = try await computers.third(["file", "list", "--json"]).json()["files"]
    #expect(list.items.count == 1 && list[0]["versions"].number == 2, "\(list)")
    let writers = try await computers.third(["writers", "list", "--json"]).json()["silent"]
    #expect(writers.items.count == 2)
    let asked = try await computers.server(
      add("two") + ["--with-key"], input: Self.words, expecting: nil)
    #expect(asked.code == 69, "\(asked.text)")
    // This computer, too, may be given both, one after the other.
    try await computers.laptop(["writers", "authorise"])
    let more = try await computers.laptop(["writers", "authorise", "--may", "all", "--json"]).json()
    #expect(more["changed"].flag == true && more["may"].items.map(\.text) == ["put"])
    let known = try await computers.laptop(["writers", "authorise", "--may", "all", "--json"])
    #expect(try known.json()["changed"].flag == false)
    let silent = try await computers.box.traced {
      try await computers.laptop(add("three"), input: Self.words)
    }
    #expect(silent.isEmpty, "\(silent)")
    let touched = try await computers.box.traced {
      let added = try await computers.laptop(add("four") + ["--with-key"], input: Self.words)
      #expect(try added.json()["silent"].flag == false)
    }
    #expect(touched.count { $0 == "TOUCH" } == 1, "\(touched)")
  }

  @Test func `A wallet that a person has stays, and the other one is shown beside it`() async throws
  {
    let computers = try await FileComputers()
    try await computers.authoriseServer(may: "wallets")
    try await computers.server(add(PreparedBackup.ids[0]), input: Self.words)
    let out = computers.target()
    let restored = try await computers.third(["restore", "--out", out, "--json"]).json()
    #expect(restored["restored"].number == 3)
    #expect(Files.tree(out).count { $0.contains("-conflict-") } == 1, "\(Files.tree(out))")
    let conflicts = try await computers.third(["conflicts", "list", "--json"], expecting: nil)
    #expect(conflicts.out.contains(PreparedBackup.ids[0]), "\(conflicts.text)")
  }

  @Test func `What a retired server adds is a conflict that a person ends`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer(may: "all")
    try await computers.laptop(["writers", "retire", "node"])
    try await computers.server(add("held"), input: Self.words)
    try await computers.laptop(["verify", "--deep"], expecting: 94)
    let list = try await computers.laptop(["conflicts", "list", "--json"]).json()["conflicts"]
    #expect(list.items.count == 1 && list[0]["id"].text == "held", "\(list)")
    #expect(list[0]["versions"].items.map { $0["state"].text } == ["held-back"])
    // Nobody takes it for one of the person's own.
    let out = computers.target()
    let text = try await computers.third(["restore", "--out", out], expecting: 94)
    #expect(text.err.contains("a retired computer wrote 1 wallet, held back"), "\(text.text)")
    #expect(!text.err.contains("several versions"), "\(text.text)")
    let json = try await computers.third(
      ["restore", "--out", out + "-2", "--names", "--json"], expecting: 94
    ).json()
    let held = json["files"].items.filter { $0["state"].text == "held-back" }
    #expect(held.count == 1 && json["files"].items.count > 1, "\(json)")
    #expect(held.allSatisfy { $0["file"].text?.hasSuffix("-held-back.json") == true }, "\(held)")
    #expect(Files.tree(out).count { $0.hasSuffix("-held-back.json") } == 1, "\(Files.tree(out))")
    try await computers.laptop(["rotate", "--master-key"])
    let late = try await computers.third(["restore", "--out", out + "-3"], expecting: 94)
    #expect(late.err.contains("a retired computer wrote 1 wallet, held back"), "\(late.text)")
    #expect(Files.tree(out + "-3").count { $0.hasSuffix("-held-back.json") } == 1)
    try await computers.laptop(["wallet", "remove", "held", "--yes"])
    try await computers.laptop(["verify", "--deep"])
  }

  @Test func `Killed at any call, the next run adds it or says that it is there`() async throws {
    let computers = try await FileComputers()
    let box = computers.box
    try await computers.authoriseServer(may: "wallets")
    let places = [box.folder, computers.serverHome]
    let kept = { (place: String) in place + "-kept" }
    for place in places { try Files.copy(place, to: kept(place)) }
    let crash = [BuiltProduct.path("crash-at")] + places.flatMap { ["--under", $0] }
    let run = { (options: [String]) in
      try await box.run(
        crash + options + ["--", Build.keybackup] + add("one"), key: nil,
        input: Array(Self.words.utf8), home: computers.serverHome,
        environment: ["KEYBACKUP_FOLDER": box.folder])
    }
    var points = 0
    while points < 200 {
      for place in places {
        try Files.remove(place)
        try Files.copy(kept(place), to: place)
      }
      let killed = try await run(["--at", "\(points + 1)"])
      if killed.code == 0 { break }
      #expect(killed.code == 137, "\(points + 1): \(killed.text)")
      points += 1
      let again = try await computers.server(add("one"), input: Self.words, expecting: nil)
      #expect([0, 73].contains(again.code), "\(points): \(again.text)")
      if points % 4 != 1 { continue }
      let out = box.root + "/out-\(points)"
      // A computer that has not seen the folder in another state.
      let fresh = box.root + "/fresh-\(points)"
      try Files.makeFolder(fresh)
      let restored = try await box.keybackup(
        ["restore", "--out", out, "--json"], home: fresh
      ).json()
      #expect(restored["restored"].number == 4, "\(points): \(restored)")
      #expect(!Files.tree(box.folder).contains { $0.contains(".keybackup-tmp-") }, "\(points)")
    }
    print("silent wallet add: killed at \(points) calls")
    #expect((10..<200).contains(points), "\(points)")
  }
}

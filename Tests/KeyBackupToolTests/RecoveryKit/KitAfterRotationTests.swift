import Testing

/// A recovery kit that lay in a safe while the master key was rotated with a security key.
@Suite struct KitAfterRotationTests {
  /// The earlier namespace has three wallets, its successor also a fourth.
  private struct Rotated {
    let kit: PreparedKit
    let old: String
    let new: String

    var box: Sandbox { kit.box }

    init() async throws {
      kit = try await PreparedKit()
      let box = kit.box
      old = kit.backup.namespaceID
      let rotated = try await box.keybackup(["rotate", "--master-key", "--json"]).json()
      new = try #require(rotated["namespace_id"].text)
      #expect(rotated["waiting"].items.map(\.text) == [kit.keyID])
      try await box.keybackup(
        ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "New").utf8))
    }

    /// Runs the command with the code, on a computer that knows nothing unless a home is named.
    func opening(
      _ arguments: [String], home: String? = nil, input: [UInt8] = [], expecting: Int32
    ) async throws -> Outcome {
      let home = try home ?? box.newHome()
      return try await box.keybackup(
        arguments + kit.opening, key: ["--no-key"], pin: .none, input: input, home: home,
        expecting: expecting)
    }
  }

  @Test func `It gets there by its box`() async throws {
    let rotated = try await Rotated()
    let (box, kit) = (rotated.box, rotated.kit)
    // Without a comparison, the wallets that the kit itself opens are restored, and the message
    // says where the rest is.
    let first = try await rotated.opening(["restore", "--json"], expecting: 87)
    #expect(try first.json()["restored"].number == 3)
    #expect(first.err.contains("--namespace \(rotated.new)"), "\(first.err)")
    let listed = try await rotated.opening(["wallet", "list", "--json"], expecting: 87).json()
    let wallet = try #require(listed["wallets"].items.first?["record_id"].text)
    let shown = try await rotated.opening(["wallet", "show", wallet, "--json"], expecting: 87)
    #expect(try shown.json()["wallet"]["record_id"].text == wallet, "\(shown.text)")
    let tested = try await rotated.opening(["recovery-kit", "test"], expecting: 87)
    #expect(tested.out.contains("opens the earlier backup: 3 wallets"), "\(tested.text)")
    expectFailure(
      try await rotated.opening(
        ["wallet", "import", "-"], input: Array(Samples.entry(id: "x", name: "X").utf8),
        expecting: 90), 90, says: "nobody has compared")

    // After the comparison: everything.
    let home = try box.newHome()
    let named = ["--namespace", rotated.new]
    let all = try await rotated.opening(["restore", "--json"] + named, home: home, expecting: 0)
    #expect(try all.json()["restored"].number == 4)
    // That computer knows it now. When it writes, the kit gets a file there.
    let written = try await rotated.opening(
      ["wallet", "import", "-"], home: home,
      input: Array(Samples.entry(id: "x", name: "X").utf8), expecting: 0)
    #expect(written.err.contains("has its own file in the new backup"), "\(written.err)")
    let direct = try await rotated.opening(["recovery-kit", "test", "--json"], expecting: 0)
    #expect(try direct.json()["namespace_id"].text == rotated.new)
    #expect(try direct.json()["wallets"].number == 5)
    // Any reader of the format can do this.
    let read = try await box.run(
      Python.script("reader/kit_reader.py")
        + [box.folder, "--code-file", kit.codeFile] + named, key: nil)
    #expect(read.code == 0, "\(read.text)")
    #expect(try JSON(read.output)["wallets"].items.count == 5)
  }

  @Test func `A kit that opens the new backup by its box is tested`() async throws {
    let rotated = try await Rotated()
    let (box, kit) = (rotated.box, rotated.kit)
    func proof() async throws -> JSON? {
      try await kit.alone(["key", "list", "--json"], expecting: nil).json()["keys"].items
        .first { $0["key_id"].text == kit.keyID }?["proved_at"]
    }
    #expect(try await proof() == .null)
    try await box.keybackup(
      ["recovery-kit", "test"] + kit.opening, key: ["--no-key"], pin: .none)
    #expect(try await proof()?.number != nil)
  }

  @Test func `An offline kit of before says what it opens`() async throws {
    let rotated = try await Rotated()
    let (box, kit) = (rotated.box, rotated.kit)
    let offline = ["--recovery-kit", kit.offline]
    // With the whole folder, it is as good as the kit in the folder.
    let whole = try await rotated.opening(["restore", "--json"] + offline, expecting: 87)
    #expect(try whole.json()["restored"].number == 3)
    #expect(whole.err.contains("--namespace \(rotated.new)"), "\(whole.err)")
    let tested = try await rotated.opening(["recovery-kit", "test"] + offline, expecting: 87)
    #expect(tested.out.contains("opens the earlier backup: 3 wallets"), "\(tested.text)")
    let named = ["--namespace", rotated.new]
    let all = try await rotated.opening(["restore", "--json"] + offline + named, expecting: 0)
    #expect(try all.json()["restored"].number == 4)

    // Part of the new namespace is missing.
    let places = [rotated.old, rotated.new].map { box.folder + "/cspp-namespaces/" + $0 }
    try Files.remove(places[1] + "/keybackup")
    expectFailure(
      try await rotated.opening(["restore"] + named, expecting: 75), 75, says: "not all here yet")

    // With only the wallets' files, it opens those of its time, and says what lies beside them.
    try Files.remove(places[0] + "/keybackup")
    for place in places { try Files.remove(place + "/master-key") }
    let before = try Files.contents(box.folder)
    let out = box.root + "/out"
    let left = try await rotated.opening(["restore", "--out", out] + offline, expecting: 75)
    try kit.expectAllRestored(out)
    #expect(left.err.contains(rotated.new) && left.err.contains("rotated"), "\(left.err)")
    expectFailure(
      try await rotated.opening(["restore"] + offline + named, expecting: 80), 80,
      says: rotated.old, rotated.new)
    #expect(try Files.contents(box.folder) == before)
  }

  /// A computer that knows neither of two namespaces takes the one that the key opens.
  @Test func `A computer that is new to the folder takes the one in charge`() async throws {
    let rotated = try await Rotated()
    let box = rotated.box
    let made = try await box.keybackup(
      ["recovery-kit", "create", "--json", "--out", box.root + "/second.html"],
      home: try box.newHome()
    ).json()
    #expect(made["namespace_id"].text == rotated.new)
    for command in [["key", "label", "Virtual Key", "first"], ["rotate"], ["key", "repair"]] {
      try await box.keybackup(command, home: try box.newHome())
    }
    let listed = try await box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()
    #expect(
      Set(listed["keys"].items.map { $0["label"].text }) == ["first", "Recovery kit", "Safe"])
    let home = try box.newHome()
    try await box.keybackup(["unlock", "--for", "60s"], home: home)
    let known = try await box.keybackup(
      ["restore", "--json"], key: ["--no-key"], pin: .none, home: home)
    #expect(try known.json()["restored"].number == 4)
    try await box.keybackup(["lock"], key: nil, pin: .none, home: home)
  }
}

import Testing

/// What a person sees at 60, 80 and 120 columns.
@Suite struct LayoutTests {
  static let widths = [60, 80, 120]
  private static let escape = "\u{1B}"

  /// Lines that are longer than the width although they could be broken, or although nothing in
  /// them has to stay in one piece.
  private static func tooLong(_ text: String, _ width: Int, besides kept: [String]) -> [String] {
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
    return lines.filter { line in
      line.count > width && !kept.contains { line.contains($0) }
        // One word: a path, a file's name.
        && line.split(separator: " ").filter({ $0 != "hint:" && $0 != "keybackup:" }).count > 1
    }
  }

  private static func expectFits(
    _ outcome: Outcome, _ width: Int, besides kept: [String] = [], _ what: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    let long = tooLong(outcome.text, width, besides: kept)
    #expect(long.isEmpty, "\(what) at \(width): \(long)", sourceLocation: location)
  }

  /// A folder with two keys of long names and wallets of every kind of name.
  private struct Scene {
    let box: Sandbox
    let names = [
      "Savings", "Long-term savings of the whole family, 2 of 3", "\u{4E91}\u{4E2D} wallet",
      "Mining payouts to the cold card in the bank",
    ]

    init() async throws {
      box = try Sandbox()
      try await box.keybackup(["init", "--label", "My YubiKey 5C NFC on the key ring"])
      for (place, name) in names.enumerated() {
        let options =
          place == 1
          ? ["--xpub", "-"] : place == 3 ? ["--network", "testnet4", "--descriptor", "-"] : []
        guard place != 3 else { continue }
        try await box.keybackup(
          ["wallet", "add", "--name", name, "--network", "bitcoin"]
            + (options.isEmpty ? ["--mnemonic", "-"] : options),
          input: Array((place == 1 ? Samples.xpub : Samples.mnemonic).utf8))
      }
      try await box.keybackup(
        ["wallet", "import", "-"], input: Array(Samples.entry(id: "own-id", name: names[3]).utf8))
      try await box.keybackup(["recovery-kit", "create", "--out", box.root + "/kit.html"])
    }

    /// Runs a command whose output is wrapped without a terminal.
    func run(
      _ arguments: [String], _ width: Int, pin: Sandbox.PINGiven = .file, key: [String]? = [],
      expecting: Int32? = 0
    ) async throws -> Outcome {
      try await box.keybackup(
        arguments, key: key, pin: pin, environment: ["COLUMNS": "\(width)"], expecting: expecting)
    }
  }

  @Test(arguments: widths) func `The list of credentials is a table`(_ width: Int) async throws {
    let box = try Sandbox()
    var ids = [try await box.makeCredential()]
    ids.append(try await box.makeCredential(["--rp-id", "a-longer-name.example.com"]))
    let list = try await box.keybackup(
      ["credential", "list"], environment: ["COLUMNS": "\(width)"])
    Self.expectFits(list, width, besides: ids, "credential list")
    let lines = list.out.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("RELYING PARTY") == true, "\(list.out)")
    for id in ids { #expect(lines.count { $0.hasSuffix(id) } == 1, "\(list.out)") }
    #expect(list.out.contains("a-longer-name.example.com"), "\(list.out)")
    // One line for each where there is room.
    let wide = try await box.keybackup(["credential", "list"])
    #expect(wide.out.split(separator: "\n").count == 3, "\(wide.out)")
  }

  @Test(arguments: widths) func `The main screens fit`(_ width: Int) async throws {
    let scene = try await Scene()
    let out = scene.box.root + "/out"
    // What is copied is never broken.
    let test = "keybackup recovery-kit test"
    for (command, code) in [
      (["status"], 88), (["verify"], 0), (["key", "list"], 0), (["devices"], 0), (["doctor"], nil),
    ] as [([String], Int32?)] {
      let outcome = try await scene.run(command, width, pin: .none, expecting: code)
      Self.expectFits(
        outcome, width, besides: ["SUBSYSTEM==", "sudo "], command.joined(separator: " "))
      if command == ["status"] { #expect(outcome.out.contains(test), "\(outcome.out)") }
    }
    for command in [
      ["wallet", "list"], ["restore"], ["verify", "--deep"], ["key", "identify"],
      ["restore", "--out", out], ["wallet", "show", "Savings"], ["writers", "list"],
    ] {
      let isPlain = command == ["key", "identify"]
      let outcome = try await scene.run(command, width, pin: isPlain ? .none : .file)
      Self.expectFits(outcome, width, command.joined(separator: " "))
    }
  }

  /// File names are copied: none is cut, and each stands in one line.
  @Test(arguments: widths) func `Files that are restored have their whole names`(_ width: Int)
    async throws
  {
    let backup = try await PreparedBackup()
    let out = backup.box.root + "/out"
    let shown = try await backup.box.keybackup(
      ["restore", "--out", out], environment: ["COLUMNS": "\(width)"])
    let lines = shown.err.split(separator: "\n")
    for file in Files.tree(out) {
      #expect(lines.contains { $0 == "  " + file }, "\(shown.err)")
    }
    #expect(shown.err.contains("keybackup wallet show NAME --reveal"))
  }

  /// The names that people gave are enough to tell the ways in apart, and their kinds are words.
  @Test(arguments: widths) func `Ways in are named in words`(_ width: Int) async throws {
    let scene = try await Scene()
    let list = try await scene.run(["key", "list"], width, pin: .none)
    let name = "My YubiKey 5C NFC on the key ring"
    #expect(list.out.contains(width == 120 ? name : String(name.prefix(19))), "\(list.out)")
    #expect(list.out.contains("security key") && list.out.contains("recovery kit"), "\(list.out)")
    #expect(!list.out.contains("security_key") && !list.out.contains("AAGUID"), "\(list.out)")
  }

  @Test(arguments: widths) func `An error with a hint is broken between words`(_ width: Int)
    async throws
  {
    let backup = try await PreparedBackup()
    let outcome = try await backup.box.keybackup(
      ["restore"], key: ["--no-key"], environment: ["COLUMNS": "\(width)"], expecting: 69)
    Self.expectFits(outcome, width, "restore without a key")
    let refused = try await backup.box.keybackup(
      ["init"], environment: ["COLUMNS": "\(width)"], expecting: 73)
    // A command stays in one piece, be it longer than the line.
    #expect(
      refused.err.contains(
        "keybackup restore --folder \(backup.box.folder) --out RESTORED --names"),
      "\(refused.err)")
    #expect(refused.err.hasPrefix("keybackup: "), "\(refused.err)")
    // What follows stands below the text.
    for line in refused.err.split(separator: "\n") {
      #expect(
        ["keybackup: ", "hint: ", "           ", "      "].contains { line.hasPrefix($0) },
        "\(refused.err)")
    }
  }

  /// A pipe is no screen: each message is one line, unless somebody says how wide it is.
  @Test func `A pipe gets whole lines`() async throws {
    let backup = try await PreparedBackup()
    let piped = try await backup.box.keybackup(["init"], expecting: 73)
    for line in piped.err.split(separator: "\n") {
      #expect(line.hasPrefix("keybackup: ") || line.hasPrefix("hint: "), "\(piped.err)")
    }
    // COLUMNS that says nothing.
    let odd = try await backup.box.keybackup(
      ["init"], environment: ["COLUMNS": "wide"], expecting: 73)
    #expect(odd.err == piped.err)
  }

  // MARK: A terminal

  @Test(arguments: [60, 80]) func `Prompts and notes fit the terminal`(_ width: Int) async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["init"], key: ["no-pin"], pin: .none,
      terminal: [
        .expect("Set one now? [y/N] "), .type("y\n"), .expect("New PIN: "),
        .type(Sandbox.pin + "\n"), .expect("The same PIN again: "), .type(Sandbox.pin + "\n"),
      ], columns: UInt16(width), standardOutput: .terminal)
    #expect(outcome.stepsLeft.isEmpty, "\(outcome.screen)")
    let plain = outcome.screen.replacing(/\u{1B}\[[0-9;]*[mK]/, with: "")
    let long = Self.tooLong(plain, width, besides: [])
    #expect(long.isEmpty, "\(long)")
    #expect(plain.contains("keybackup wallet add --name NAME --network bitcoin"))
  }

  /// Bold print only where a terminal shows it, and nobody said otherwise.
  @Test(arguments: [
    (["TERM": "xterm"], true), (["TERM": "dumb"], false), (["NO_COLOR": "1"], false),
    (["TERM": ""], false),
  ])
  func `Bold print where it shows`(_ variables: [String: String], isBold: Bool) async throws {
    let backup = try await PreparedBackup()
    let list = try await backup.box.keybackup(
      ["key", "list"], pin: .none, environment: variables, terminal: [], columns: 80,
      standardOutput: .terminal)
    #expect(list.screen.contains(Self.escape + "[1mNAME") == isBold, "\(list.screen)")
    #expect(list.screen.contains(Self.escape) == isBold)
    let failed = try await backup.box.keybackup(
      ["wallet", "show", "x"], key: ["--no-key"], environment: variables, terminal: [],
      columns: 80, expecting: 69)
    #expect(failed.screen.contains(Self.escape + "[1mkeybackup:") == isBold, "\(failed.screen)")
    // Never into a pipe.
    let piped = try await backup.box.keybackup(["key", "list"], pin: .none, environment: variables)
    #expect(!piped.text.contains(Self.escape))
  }

  /// A person is told what the number is; a program reads it alone.
  @Test func `The new wallets ID is named on a terminal`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let add = ["wallet", "add", "--name", "One", "--network", "bitcoin", "--mnemonic"]
    let file = box.root + "/words"
    try Files.write(Samples.mnemonic, to: file)
    let shown = try await box.keybackup(
      add + [file], terminal: [], standardOutput: .terminal)
    #expect(shown.screen.contains(/Its ID: [0-9a-f]{32}/), "\(shown.screen)")
    let piped = try await box.keybackup(add + [file])
    #expect(piped.out.wholeMatch(of: /[0-9a-f]{32}\n/) != nil, "\(piped.out)")
  }

  /// The words of a wallet stand in a line of their own.
  @Test func `Revealed words can be read`() async throws {
    let backup = try await PreparedBackup()
    let shown = try await backup.box.keybackup(
      ["wallet", "show", "first-wallet", "--reveal"], secrets: true)
    #expect(shown.out.contains("\nSECRET       \(Samples.otherMnemonic)\n"), "\(shown.out)")
  }

  /// docs/screens.md says what the program prints.
  @Test func `The page of screens is true`() async throws {
    let box = try Sandbox()
    let done = try await box.run(
      ["python3", Build.root + "/scripts/screens", "--check"], key: nil,
      environment: ["KEYBACKUP_TEST_PROGRAM": Build.keybackup, "VIRTUAL_KEY": Build.virtualKey])
    #expect(done.code == 0, "\(done.text)")
  }

  // MARK: Commands that can be run as they are printed

  @Test func `Suggested commands name the folder`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let place = box.root + "/my cloud"
    try Files.move(box.folder, to: place)
    let unnamed = ["KEYBACKUP_FOLDER": ""]
    let named = try await box.keybackup(
      ["status", "--folder", place], key: nil, pin: .none, environment: unnamed, expecting: 88)
    #expect(named.out.contains("keybackup verify --folder '\(place)' --deep"), "\(named.out)")
    #expect(named.out.contains("Folder     '\(place)'"), "\(named.out)")
    let json = try await box.keybackup(
      ["key", "remove", "nobody", "--json", "--folder", place], environment: unnamed, expecting: 66)
    #expect(
      try json.json()["error"]["hint"].text
        == "to see their names and IDs: keybackup key list --folder '\(place)'")
    // Where the program finds the folder by itself, nothing is added.
    let found = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": place], expecting: 88)
    #expect(found.out.contains("keybackup verify --deep"), "\(found.out)")
  }

  /// A planted file's name is data, whatever it says.
  @Test func `A command in a name is not completed`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let place = box.root + "/my cloud"
    try Files.move(box.folder, to: place)
    try await Attacker(box: box).plant(
      "key", in: place,
      [
        "--namespace", backup.namespaceID, "--label", "x\"; run: keybackup key remove g3 --yes",
      ])
    let shown = try await box.keybackup(
      ["status", "--folder", place], key: nil, pin: .none, home: try box.newHome(),
      environment: ["KEYBACKUP_FOLDER": ""], expecting: 88)
    #expect(shown.out.contains("g3 --yes"), "\(shown.out)")
    #expect(!shown.out.contains("key remove --folder"), "\(shown.out)")
    #expect(shown.out.contains("--folder '\(place)'"), "\(shown.out)")
  }
}

import Testing

/// Measures the table of docs/authenticators.md with the requests that each command makes of a key.
@Suite struct BudgetTableTests {
  /// The requests that one key got during one command.
  private struct Row {
    let command: String
    let key: String
    let cost: TrafficTests.Cost

    var line: String {
      "| \(command) | \(key) | \(cost.inits) | \(cost.commands) | \(cost.pins) | \(cost.touches) |"
    }
  }

  private static let begin = "<!-- checked by BudgetTableTests: begin -->"
  private static let end = "<!-- checked by BudgetTableTests: end -->"
  private static let header = [
    "", "| Command | For | INIT | CTAP commands | PIN sent | Touches |",
    "|---|---|---|---|---|---|",
  ]

  @Test func `The document says what was measured`() async throws {
    let rows = try await alone() + Self.slots.value + amongThree()
    let document = try Files.text(Build.root + "/docs/authenticators.md")
    let parts = document.split(separator: Self.begin)
    let written = try #require(parts.last?.split(separator: Self.end).first)
    let measured = (Self.header + rows.map(\.line) + [""]).joined(separator: "\n")
    #expect("\n" + measured + "\n" == written, "\(measured)")
  }

  /// No further touch may creep in, whatever the document says.
  @Test func `Enrolment takes three touches and everything else one`() async throws {
    for row in try await alone() {
      let most = row.command == "`init`" ? 3 : 1
      // With the same PIN it looks for credentials that exist already.
      let looks = row.command == "`credential create`" ? 1 : 0
      #expect(row.cost.touches <= most && row.cost.pins <= most + looks, "\(row.line)")
      #expect(
        row.cost.inits == 1 && row.cost.commands <= 6 * most + 3 * looks, "\(row.line)")
    }
  }

  /// A new salt costs the same as a restore, even if everything is encrypted again.
  @Test func `Rotation takes one PIN and one touch`() async throws {
    let rows = try await Self.slots.value
    for name in ["`rotate`", "`rotate --master-key`"] {
      let row = try #require(rows.first { $0.command == name })
      #expect(row.cost.touches == 1 && row.cost.pins == 1, "\(row.line)")
    }
    let kit = try #require(rows.first { $0.command == "`recovery-kit test`" })
    #expect(kit.cost == .init([]), "\(kit.line)")
  }

  /// `key identify` takes no PIN at all.
  private static func pin(for arguments: [String]) -> Sandbox.PINGiven {
    arguments.first == "key" ? .none : .file
  }

  /// One key, which is the right one.
  private func alone() async throws -> [Row] {
    let box = try Sandbox()
    var rows: [Row] = []
    func measure(_ name: String, _ arguments: [String], input: String = "") async throws {
      let trace = try await box.traced {
        try await box.keybackup(
          arguments, pin: Self.pin(for: arguments), input: Array(input.utf8))
      }
      rows.append(Row(command: name, key: "the key", cost: .init(trace)))
    }
    try await measure("`devices`", ["devices"])
    let id = try await box.makeCredential()
    try await measure("`credential create`", ["credential", "create"])
    let derive = ["derive", "--credential", id, "--salt", "a"]
    try await measure("`derive`, one salt", derive)
    try await measure("`derive`, two salts", derive + ["--second-salt", "b"])
    try await measure("`init`", ["init"])
    try await measure(
      "`wallet import`", ["wallet", "import", "-"], input: Samples.entry(id: "a", name: "A"))
    try await measure("`restore`", ["restore", "--out", box.root + "/out"])
    try await measure("`key identify`", ["key", "identify"])
    return rows
  }

  private static let slots = Task { try await keySlots() }

  /// Enrolling, rotating and the recovery kit, each on a backup of its own.
  private static func keySlots() async throws -> [Row] {
    var rows: [Row] = []
    func measure(
      _ command: String, note: String = "", _ box: Sandbox, _ options: [String] = [],
      key: [String] = [], whose: [String] = ["the key"], meanwhile: [TerminalStep] = []
    ) async throws {
      let arguments = command.split(separator: " ").map(String.init)
      let trace = try await box.traced {
        try await box.keybackup(arguments + options, key: key, meanwhile: meanwhile)
      }
      for (number, who) in whose.enumerated() {
        let own = "hidraw\(number) "
        let lines =
          whose.count == 1
          ? trace
          : trace.filter { $0.hasPrefix(own) }.map { String($0.dropFirst(own.count)) }
        rows.append(Row(command: "`\(command)`\(note)", key: who, cost: .init(lines)))
      }
    }
    for note in ["", ", plugged in when asked"] {
      let backup = try await PreparedBackup()
      let new = backup.box.root + "/new.json"
      try await measure(
        "key add", note: note, backup.box, ["--wait", "3600"],
        key: [
          "--key", backup.box.keyState,
          "--key", new + (note.isEmpty ? "" : ",plug-after-ms=\(new).plugged"),
        ], whose: ["the key that opens", "the new key"],
        meanwhile: [.expect("insert the new one"), .write("", to: new + ".plugged")])
    }
    for command in ["rotate", "rotate --credential"] {
      try await measure(command, PreparedBackup().box)
    }
    let keys = try await ThreeKeys()
    try await measure("rotate --master-key", keys.box, key: keys.only("blue"))
    try await measure("rotate --master-key", note: ", the only way in", PreparedBackup().box)
    let kit = try await PreparedKit()
    try await measure(
      "recovery-kit create", kit.box, ["--out", kit.box.root + "/another.html"])
    try await measure("recovery-kit test", kit.box, kit.opening)
    return rows
  }

  /// Three keys of which the second is the right one.
  private func amongThree() async throws -> [Row] {
    let box = try Sandbox()
    let others = ["/one.json", "/two.json"].map { box.root + $0 }
    let id = try await box.makeCredential()
    try await box.keybackup(["init"])
    var rows: [Row] = []
    func measure(
      _ name: String, _ arguments: [String], own: String = "", other: String = "",
      terminal: [TerminalStep]? = nil
    ) async throws {
      let keys = [
        "--key", others[0] + other, "--key", box.keyState + own, "--key", others[1] + other,
      ]
      let trace = try await box.traced {
        try await box.keybackup(
          arguments, key: keys, pin: Self.pin(for: arguments), terminal: terminal)
      }
      let costs = (0..<3).map { number in
        TrafficTests.Cost(
          trace.filter { $0.hasPrefix("hidraw\(number) ") }.map { String($0.dropFirst(8)) })
      }
      #expect(costs[0] == costs[2], "\(trace)")
      rows += [
        Row(command: name, key: "the right one of three", cost: costs[1]),
        Row(command: name, key: "each other one", cost: costs[0]),
      ]
    }
    try await measure("`derive`, one salt", ["derive", "--credential", id, "--salt", "a"])
    try await measure("`restore`", ["restore", "--out", box.root + "/out"])
    try await measure("`key identify`", ["key", "identify"])
    // The user touches the key to be enrolled, once all blink.
    let touch = box.root + "/touch"
    try await measure(
      "`init`", ["init", "--folder", box.root + "/other"], own: ",touch=\(touch)",
      other: ",touch=never",
      terminal: [.expect("Touch the one to enrol")]
        + (0..<3).map { .find("hidraw\($0) WAITING", in: box.tracePath) }
        + [.write("", to: touch), .expect("3 of 3")])
    return rows
  }
}

import Foundation
import Testing

/// docs/scripting.md names every field that commands print as JSON.
@Suite struct JSONFieldTests {
  /// What a page's table says of the commands' objects.
  private struct Page {
    /// The commands of a row, and the words in backticks that stand beside them.
    private var rows: [(commands: [[String]], words: [String])] = []
    /// The fields that have a number for each state.
    private(set) var counts: Set<String> = []
    /// Every command's: the schema, and what the page says below the table.
    private var common: Set<String> = ["schema"]

    init(_ text: String) {
      let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix("JSON\n") } ?? ""
      for line in section.split(separator: "\n") {
        let cells = line.split(separator: " | ", maxSplits: 1).map { Self.words(String($0)) }
        if line.hasPrefix("- `"), let first = cells[0].first { common.insert(first) }
        guard line.hasPrefix("| `"), cells.count > 1 else { continue }
        rows.append((cells[0].map { $0.split(separator: " ").map(String.init) }, cells[1]))
        for (before, after) in zip(
          line.components(separatedBy: "`"), line.components(separatedBy: "`").dropFirst())
        where after.hasPrefix(" (a number for each state") {
          counts.insert(before)
        }
      }
    }

    /// The words in backticks.
    private static func words(_ text: String) -> [String] {
      text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }

    /// The fields that the page names for a command, also by the name of another command.
    func fields(of line: [String]) -> Set<String> {
      var (fields, waiting, seen) = (common, [line], Set<[String]>())
      while let line = waiting.popLast() {
        guard seen.insert(line).inserted else { continue }
        for row in rows where row.commands.contains(where: { Self.is($0, line) }) {
          fields.formUnion(row.words)
          waiting += row.words.filter { $0.contains(" ") }.map {
            $0.split(separator: " ").map(String.init)
          }
        }
      }
      return fields
    }

    /// Whether a row is about a command: its words come first, its options are there.
    private static func `is`(_ row: [String], _ line: [String]) -> Bool {
      let words = row.filter { !$0.hasPrefix("--") }
      return line.starts(with: words) && Set(row).isSubset(of: line)
    }
  }

  /// The names of all fields of a value and of those in it.
  private func fields(of value: JSON, _ page: Page) -> Set<String> {
    switch value {
    case .object(let fields):
      fields.reduce(into: []) { found, field in
        found.insert(field.key)
        if case .object = field.value, page.counts.contains(field.key) { return }
        found.formUnion(self.fields(of: field.value, page))
      }
    case .array(let values): values.reduce(into: []) { $0.formUnion(fields(of: $1, page)) }
    default: []
    }
  }

  private func check(_ line: [String], _ outcome: Outcome, _ page: Page) throws {
    let value = try outcome.json()
    #expect(value["error"] == .null, "\(line): \(outcome.text)")
    let unnamed = fields(of: value, page).subtracting(page.fields(of: line))
    #expect(unnamed.isEmpty, "\(line) prints \(unnamed.sorted())")
  }

  @Test func `The page names every field that is printed`() async throws {
    let page = Page(try Files.text(Build.root + "/docs/scripting.md"))
    #expect(page.counts == ["files", "wallets"])
    let computers = try await FileComputers()
    try await computers.authoriseServer(may: "all")
    let (file, theirs) = (computers.files + "/notes", computers.serverHome + "/channel.backup")
    for path in [file, theirs] { try Files.write("one", to: path) }
    let wallet = [
      "wallet", "add", "--name", "Shop", "--network", "bitcoin", "--mnemonic", "-", "--id",
    ]
    for line in [
      wallet + ["shop-1"], ["file", "add", theirs], ["file", "watch", "--once", theirs], ["status"],
      ["verify"], ["key", "list"],
    ] {
      let outcome = try await computers.server(
        line + ["--json"], input: Samples.mnemonic, expecting: nil)
      try check(line, outcome, page)
    }
    for line in [
      ["verify", "--deep"], ["key", "repair"], wallet + ["shop-2"], ["wallet", "list"],
      ["wallet", "show", "shop-2"], ["conflicts", "list"], ["writers", "list"],
      ["wallet", "export", "shop-2", "--format", "mnemonic", "--out", computers.files + "/words"],
      ["file", "add", file, "--keep", "5"], ["file", "list"], ["file", "history", "notes"],
      ["file", "show", "notes"], ["file", "restore", "notes", "--out", computers.target("files")],
      ["restore", "--out", computers.target()], ["file", "prune"], ["config", "show"],
      ["wallet", "remove", "shop-2", "--yes"], ["file", "remove", "notes"], ["wallet", "history"],
    ] {
      let outcome = try await computers.laptop(
        line + ["--json"], input: Samples.mnemonic, expecting: nil)
      try check(line, outcome, page)
    }
    let history = try await computers.laptop(["wallet", "history", "shop-2", "--json"]).json()
    let version = try #require(history["wallets"][0]["versions"][0]["version"].text)
    for line in [
      ["wallet", "show", "shop-2", "--version", version], ["wallet", "keep", "shop-2", version],
    ] {
      try check(line, await computers.laptop(line + ["--json"]), page)
    }
    for line in [
      ["status"], ["status", "--synchronised"], ["key", "list"], ["file", "suggest", "--all"],
    ] {
      let outcome = try await computers.box.keybackup(line + ["--json"], pin: .none, expecting: nil)
      try check(line, outcome, page)
    }
  }

  /// Tests every command of `foreign` whose result can be had without a second security key.
  @Test func `The page names every field of foreign`() async throws {
    let page = Page(try Files.text(Build.root + "/docs/scripting.md"))
    let given = try await SealVaultBox()
    let root = given.box.root
    try Files.write(SealVaultBox.secret, to: root + "/secret", mode: 0o600)
    try Files.write(WorldAppTests.factor, to: root + "/factor", mode: 0o600)
    try await given.box.keybackup(["init"])
    @discardableResult
    func run(_ line: [String], input: String = "") async throws -> Outcome {
      let outcome = try await given.box.keybackup(
        ["foreign"] + line + ["--json"], pin: line.contains("--add") ? .file : .none,
        input: Array(input.utf8))
      try check(["foreign"] + line, outcome, page)
      return outcome
    }
    let secrets = ["--password-file", given.password, "--kdf-secret", root + "/secret"]
    let written = try await run(
      ["sealvault", "write", given.database, given.folder, "--device-id", "a"] + secrets)
    let zip = given.folder + "/" + (try #require(try written.json()["file"].text))
    try await run(["sealvault", "find", given.folder])
    try await run(["sealvault", "verify", zip] + secrets)
    try await run(["sealvault", "open", zip, "--add", "--out", root + "/sealvault"] + secrets)
    try await run(["sealvault", "disable", given.folder, "--device-id", "a", "--yes"])

    let keys = ["--encrypted-keypair", WorldAppTests.keypair, "--factor-secret", root + "/factor"]
    let world = root + "/world"
    try await run(["world", "verify", WorldAppTests.sealed] + keys)
    try await run(["world", "open", WorldAppTests.sealed, "--add", "--out", world] + keys)
    try await run(["world", "id", WorldAppTests.sealed] + keys)
    try await run(
      ["world", "reset-proof", "--root-secret", world + "/root_secret.json"]
        + ["--challenge", "hex:00"])

    let celo = root + "/celo.json"
    let password = ["--password-file", given.password]
    try await run(["celo", "write", "--out", celo] + password, input: Samples.mnemonic)
    try await run(["celo", "open", celo, "--add"] + password)
    try await run(["celo", "open", celo, "--out", root + "/words"] + password)
    let vectors = try JSONSerialization.jsonObject(
      with: Data(Files.read(Build.root + "/Tests/Vectors/foreign/celo.json")))
    let cases = try #require((vectors as? [String: Any])?["cases"] as? [[String: Any]])
    for one in cases {
      let file = try JSONSerialization.data(withJSONObject: try #require(one["backup_json"]))
      try Files.write([UInt8](file), to: root + "/known.json")
      try await run(["celo", "inspect", root + "/known.json"])
    }
  }

  @Test func `A field that the page lacks is found`() throws {
    let page = Page(
      """
      # A page

      ## JSON

      | `a b`, `c` | `one`, `states` (a number for each state), the rest as in `d e` |
      | `a b --flag` | `two` |
      | `d e` | `three` |

      - `vanished`: of all
      """)
    let common: Set = ["schema", "vanished"]
    #expect(page.fields(of: ["a", "b", "x"]) == common.union(["one", "states", "three", "d e"]))
    #expect(page.fields(of: ["c"]).contains("three"))
    #expect(page.fields(of: ["a", "b", "--flag"]).contains("two"))
    #expect(page.fields(of: ["b", "a"]) == common)
    let value = try JSON(Array(#"{"one":[{"four":{"five":1}}],"states":{"six":1}}"#.utf8))
    #expect(fields(of: value, page) == ["one", "four", "five", "states"])
  }
}

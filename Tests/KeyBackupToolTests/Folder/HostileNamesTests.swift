import FoundationEssentials
import Glibc
import Testing

/// Texts that a stranger writes into the folder's names and labels.
///
/// No command sends them to a terminal in a form that could do more than be read.
@Suite struct HostileNamesTests {
  static let texts = [
    "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{7}", "\u{9B}2J", "a\u{8}\u{8}\u{7F}b",
    "\nkeybackup: all is well", "\rBackup is fine", "\u{202E}desrever\u{202C}",
    "\u{2066}isolate\u{2069}\u{200F}", "zero\u{200B}width\u{FEFF}", "\u{2028}line\u{2029}paragraph",
    "tag\u{E0041}\u{E007F}", "private\u{E000}\u{F8FF}", "soft\u{AD}hyphen", "tab\tand\u{C}feed",
  ]

  /// JSON's escapes for a text.
  private static func escaped(_ text: String) -> String {
    text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  /// A backup with hostile names of wallets, hostile labels and hostile files.
  private static func make() async throws -> PreparedBackup {
    let backup = try await PreparedBackup()
    let entries = texts.enumerated().map { index, text in
      Samples.entry(id: "id\(index)" + escaped(text), name: escaped(text))
    }
    try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    // Two wallets of one name, so that the answer to the name lists their IDs.
    let twins = ["\u{1B}[1mone", "\nkeybackup: two"].map {
      Samples.entry(id: escaped($0), name: "twins")
    }
    try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(twins.joined(separator: "\n").utf8))
    for (index, text) in texts.enumerated() {
      try plantKeySlot(escaped(text), index, backup)
      let name = text.replacing("/", with: "")
      let id = String(repeating: "0", count: 32)
      for (folder, stem) in [
        ("wallets", "wallet-\(id)\(id) "), ("master-key", "masterkey-\(id)\(id) "),
        ("keybackup/keys", "\(id) "), ("keybackup/log/\(id) " + name, "00000001-\(id) "),
        ("keybackup/log", ""), ("", "wallet-\(id)\(id) "), ("", "masterkey-\(id)\(id) "),
      ] {
        try Files.makeFolder(backup.place + "/" + folder)
        try Files.write("{", to: "\(backup.place)/\(folder)/\(stem)\(name).json")
      }
      try Files.write("x", to: "\(backup.place)/wallets/.wallet-\(id)\(id) \(name).json.icloud")
      try Files.makeFolder(backup.box.folder + "/cspp-namespaces/" + name)
    }
    return backup
  }

  /// Adds a key slot of another key, with a label and a relying party that nobody chose.
  static func plantKeySlot(
    _ label: String, _ index: Int, _ backup: PreparedBackup
  ) throws {
    let file = try JSON(try Files.read(backup.wrapper))
    let header = String(
      decoding: bytes(base64: try #require(file["protected"].text)), as: UTF8.self)
    let id = String(repeating: "0", count: 30) + (index < 16 ? "0" : "") + String(index, radix: 16)
    let kind = index.isMultiple(of: 2) ? "security_key" : "kind" + label
    let old = try #require(try JSON(Array(header.utf8))["label"].text)
    let forged = header.replacing(backup.keyID, with: String(id.suffix(32)))
      .replacing("\"label\":\"\(old)\"", with: "\"label\":\"\(label)\"")
      .replacing("\"kind\":\"security_key\"", with: "\"kind\":\"\(kind)\"")
    let encoded = Data(forged.utf8).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    let text = try Files.text(backup.wrapper)
      .replacing(try #require(file["protected"].text), with: encoded)
    try Files.write(text, to: "\(backup.place)/keybackup/keys/\(id.suffix(32)).json")
  }

  static let commands: [[String]] = [
    ["status"], ["status", "-v"], ["verify"], ["verify", "-v"], ["verify", "--deep", "-v"],
    ["restore", "-v"], ["restore"], ["wallet", "list", "-v"],
    ["wallet", "show", "nothing\u{1B}[1m"],
    ["wallet", "show", "twins"], ["wallet", "show", "\u{1B}[31mred\u{1B}[0m"],
    ["wallet", "remove", "twins"], ["key", "list"], ["key", "identify"], ["init"], ["doctor"],
    ["status", "--namespace", "\u{1B}[1m"], ["restore", "--wait-sync", "1"],
    ["status", "--wait-sync", "1"],
  ]

  @Test func `Nothing unsafe is printed`() async throws {
    let backup = try await Self.make()
    for command in Self.commands {
      for json in [[], ["--json"]] {
        let needsPIN =
          !["status", "key", "doctor", "init"].contains(command[0])
          && (command[0] != "verify" || command.contains("--deep"))
        let outcome = try await backup.box.keybackup(
          command + json, pin: needsPIN ? .file : .none, expecting: nil)
        expectSafe(outcome, command + json)
        #expect(outcome.code < 128, "\(command): \(outcome.code)")
        // Text on a line of its own would look like ours.
        #expect(!outcome.text.contains("\nkeybackup: all is well"), "\(command): \(outcome.text)")
        if !json.isEmpty { _ = try outcome.json() }
      }
    }
  }

  /// Output for a terminal takes other ways than standard error.
  @Test func `Nor on a terminal`() async throws {
    let backup = try await Self.make()
    for command in [["restore"], ["wallet", "remove", "\u{1B}[31mred\u{1B}[0m"]] {
      let outcome = try await backup.box.keybackup(
        command, terminal: command[0] == "restore" ? [] : [.expect("[y/N]"), .type("n\n")],
        expecting: nil)
      let screen = outcome.screen.replacing("\r\n", with: "\n")
      for text in Self.texts { #expect(!screen.contains(text), "\(command): \(outcome.screen)") }
    }
  }
}

/// Expects that nothing but text and line ends was printed.
func expectSafe(
  _ outcome: Outcome, _ command: [String], at location: SourceLocation = #_sourceLocation
) {
  let bad = (outcome.out + outcome.err).unicodeScalars.filter { scalar in
    switch scalar.properties.generalCategory {
    case .control: scalar != "\n"
    case .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }
  #expect(
    bad.isEmpty, "\(command): \(bad.map { String($0.value, radix: 16) }) in \(outcome.text)",
    sourceLocation: location)
}

import Testing

@testable import CommandKit

/// What a mistyped command line is answered with.
@Suite struct MistakeTests {
  private static let typed: [(arguments: [String], message: String)] = [
    (["walet"], "No command 'walet'. Did you mean: wallet"),
    (["walet", "list"], "No command 'walet'. Did you mean: wallet"),
    (["wallet", "lsit"], "No command 'lsit' in keybackup wallet. Did you mean: list"),
    (["help", "walet"], "No command 'walet'. Did you mean: wallet"),
    (["walet", "--help"], "No command 'walet'. Did you mean: wallet"),
    (["recover"], "No command 'recover'. Did you mean: restore, recovery-kit"),
    (["list"], "No command 'list'. Did you mean: wallet list, key list"),
    (["key-add"], "No command 'key-add'. Did you mean: key add"),
    (["hlep"], "No command 'hlep'. Did you mean: help"),
    (["version"], "No command 'version'. Did you mean: --version"),
    (["wallet", "delete"], "No command 'delete' in keybackup wallet. Did you mean: remove"),
    (["key", "delete"], "No command 'delete' in keybackup key. Did you mean: remove"),
    (["kit"], "No command 'kit'. Did you mean: recovery-kit create, recovery-kit test"),
    (["backup"], "No command 'backup'. Did you mean: init, wallet add, status"),
    (["import"], "No command 'import'. Did you mean: wallet import"),
    (["xyzzy"], "keybackup has no such command"),
    (["hunter2secret"], "keybackup has no such command"),
    (["pin", "chnage"], "keybackup pin has no such command. Did you mean: change"),
    (["derive", "--pin-fd", "hunter2zz"], "The value of '--pin-fd' is not a descriptor"),
    (["pin", "change", "-phunter2secret"], "keybackup pin change has no option '-p'"),
    (
      ["verify", "-deeph"], "keybackup verify has no option '-deeph'. Did you mean: --deep"
    ),
    (
      ["wallet", "list", "--quite"],
      "keybackup wallet list has no option '--quite'. Did you mean: --quiet"
    ),
    (
      ["restore", "--otu=x"], "keybackup restore has no option '--otu'. Did you mean: --out"
    ),
    (["status", "--xyzzy"], "keybackup status has no option '--xyzzy'"),
    (["wallet", "--quiet"], "keybackup wallet needs a command before '--quiet'"),
    (["--nonsense"], "keybackup needs a command before '--nonsense'"),
    (["wallet", "show"], "Missing expected argument 'WALLET'"),
    (["derive"], "Missing expected argument '--salt SALT'"),
    // A value was forgotten.
    (["derive", "--salt", "x", "--credential"], "Missing value for '--credential ID'"),
    (["derive", "--salt", "x", "--credential", "--quiet"], "Missing value for '--credential ID'"),
    (["status", "--folder", "--namespace=x"], "Missing value for '--folder PATH'"),
    (["status", "-q"], "keybackup status has no option '-q'"),
    // A required option is missing too.
    (
      ["wallet", "add", "--nmae", "x"],
      "keybackup wallet add has no option '--nmae'. Did you mean: --name"
    ),
    (["derive", "--slat", "x"], "keybackup derive has no option '--slat'. Did you mean: --salt"),
    (["key", "ad"], "No command 'ad' in keybackup key. Did you mean: add"),
    (["help", "wallet", "ad"], "No command 'ad' in keybackup wallet. Did you mean: add"),
    // What may be a secret is not repeated.
    (["wallet", "hunter2secret"], "keybackup wallet has no such command"),
    (["key", "correcthorse"], "keybackup key has no such command"),
    (["help", "wallet", "Quokka"], "keybackup wallet has no such command"),
    (["wallet", "1ist"], "keybackup wallet has no such command. Did you mean: list"),
  ]

  @Test(arguments: typed.indices)
  func `Is answered with a proposal`(_ index: Int) async throws {
    let (arguments, message) = Self.typed[index]
    let box = try Sandbox()
    let told = try await box.keybackup(arguments, key: nil, pin: .none, expecting: 64)
    #expect(told.out.isEmpty)
    #expect(told.err.hasPrefix("keybackup: \(message)\n"), "\(told.err)")
    #expect(told.err.contains("--help"), "\(told.err)")
    let json = try await box.keybackup(
      arguments + ["--json"], key: nil, pin: .none, expecting: 64)
    #expect(try json.json()["error"]["message"].text == message)
    #expect(try json.json()["error"]["code"].text == "usage")
  }

  @Test func `What follows two hyphens is no option, and the hint says so`() async throws {
    let box = try Sandbox()
    let told = try await box.keybackup(
      ["status", "--", "--folder", "x"], key: nil, pin: .none, expecting: 64)
    #expect(told.err.contains("after -- nothing is an option"), "\(told.err)")
  }

  @Test func `The nearest word is proposed`() {
    #expect(Proposal.distance("wallet", "walelt") == 1)
    #expect(Proposal.distance("", "ab") == 2 && Proposal.distance("key", "key") == 0)
    #expect(Proposal.nearest("kye", among: ["key", "keep"]) == ["key"])
    #expect(Proposal.nearest("x", among: ["key", "list"]) == [])
    #expect(Proposal.nearest("li", among: ["key", "list"]) == ["list"])
    #expect(Proposal.nearest("kx", among: ["key", "list"]) == [])
    #expect(Proposal.nearest("--pin-fiel", among: ["--pin-file", "--pin-fd"]) == ["--pin-file"])
  }

  @Test func `A forgotten PIN and another name have no command, but an answer`() async throws {
    let box = try Sandbox()
    for word in ["reset", "forgot", "unblock"] {
      let told = try await box.keybackup(["pin", word], key: nil, pin: .none, expecting: 64)
      expectFailure(
        told, 64, says: "forgotten PIN", "keybackup recovery-kit test", "keybackup key remove KEY")
      #expect(!told.err.contains("command line"), "\(told.err)")
    }
    let renamed = try await box.keybackup(
      ["wallet", "rename", "a", "b"], key: nil, pin: .none, expecting: 64)
    expectFailure(
      renamed, 64, says: "keybackup wallet show WALLET --out FILE", "keybackup wallet import FILE")
  }

  @Test func `A path in the place of an option is answered with the option`() async throws {
    let box = try Sandbox()
    for command in ["restore", "status", "verify"] {
      let told = try await box.keybackup(
        [command, box.folder], key: nil, pin: .none, expecting: 64)
      expectFailure(told, 64, says: "to name the folder: --folder PATH")
    }
    let other = try await box.keybackup(["devices", "x"], key: nil, pin: .none, expecting: 64)
    #expect(!other.err.contains("--folder"), "\(other.err)")
  }

  // MARK: A PIN

  private static let pins: [[String]] = [
    ["--pin", "739104"], ["--pin=739104"], ["restore", "--pin", "739104"],
    ["wallet", "list", "--pin=739104"], ["wallet", "--pin", "739104"],
    ["key", "remove", "x", "--pin", "739104", "--yes"], ["derive", "--salt", "x", "--pin", "ab12"],
    ["pin", "change", "--new-pin", "739104"], ["key", "add", "--unlock-pin=739104"],
    ["walet", "--pin", "quokka"], ["help", "--pin", "quokka"], ["restore", "--pin"],
    ["pin", "set", "quokka"], ["pin", "change", "quokka"], ["pin", "quokka"],
    ["derive", "--pinquokka"], ["derive", "--pin:quokka"], ["derive", "--PIN quokka"],
    ["pin", "set", "739104"], ["derive", "--passwordquokka"],
    ["restore", "-pin", "quokka"], ["status", "--nonsense", "--PIN", "quokka"],
  ]

  @Test(arguments: pins)
  func `A PIN is not typed and not repeated`(_ arguments: [String]) async throws {
    let box = try Sandbox()
    for words in [arguments, arguments + ["--json"]] {
      let told = try await box.keybackup(words, key: nil, pin: .none, expecting: 64)
      let text = told.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      for part in [
        "the shell remembers what was typed", "remove the line from the shell's history",
        "keybackup pin change", "--pin-file", "--pin-fd", "KEYBACKUP_PIN_FILE",
      ] {
        #expect(text.contains(part), "\(part): \(text)")
      }
      for value in ["739104", "ab12", "quokka"] {
        #expect(!told.text.contains(value), "\(told.text)")
      }
    }
  }

  /// Nor is it told to a calling program.
  @Test func `No event repeats it`() async throws {
    let box = try Sandbox()
    let told = try await box.run(
      [
        "sh", "-c", #"exec "$@" --events-fd 3 3>&1"#, "sh", Build.keybackup, "restore", "--pin",
        "739104",
      ],
      key: nil)
    #expect(told.code == 64 && told.out.contains(#""done""#), "\(told.text)")
    #expect(told.out.contains("KEYBACKUP_PIN_FILE") && !told.text.contains("739104"))
  }

  /// An installed program comes without the documents of the source tree.
  @Test func `No message names a file of the source tree`() throws {
    let sources = Files.tree(Build.root + "/Sources").filter { $0.hasSuffix(".swift") }
    #expect(sources.count > 500)
    for name in sources where !name.hasPrefix("AllCommands/") {
      for line in try Files.text(Build.root + "/Sources/" + name).split(separator: "\n") {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//"), !code.contains("https://"),
          !code.contains("in the program's source")
        else { continue }
        #expect(!code.contains(/docs\/[a-z\/-]+\.md/), "\(name): \(code)")
      }
    }
  }
}

import Testing

/// Errors in the arguments are reported before any key is asked.
@Suite struct UsageTests {
  static let wrong: [(arguments: [String], says: String)] = [
    (["--nonsense"], "nonsense"),
    (["derive"], "salt"),
    (["derive", "--salt", "x", "--nonsense"], "nonsense"),
    (["derive", "--raw-salt", "--salt", "too short"], "32 bytes"),
    (["derive", "--raw-salt", "--salt", "hex:" + String(repeating: "00", count: 33)], "33"),
    (["derive", "--raw-salt", "--salt", "hex:" + String(repeating: "00", count: 31)], "31"),
    (["derive", "--salt", ""], "salt is empty"),
    (["derive", "--salt", "base64:"], "salt is empty"),
    (["derive", "--salt", "base64:"], "salt is empty"),
    (["derive", "--salt", "file:/dev/null"], "salt is empty"),
    (["derive", "--salt", "x", "--second-salt", ""], "salt is empty"),
    (["derive", "--salt", "x", "--second-salt", ""], "salt is empty"),
    (["derive", "--salt", "hex:0"], "hexadecimal"),
    (["derive", "--salt", "hex:zz"], "hexadecimal"),
    (["derive", "--salt", "base64:!!"], "base64"),
    (["derive", "--salt", "x", "--encoding", "rot13"], "rot13"),
    (["derive", "--salt", "x", "--credential", "not/an id!"], "credential"),
    (["derive", "--salt", "-", "--second-salt", "-"], "standard input"),
    (["derive", "--salt", "x", "--timeout", "0"], "--timeout"),
    (["derive", "--salt", "x", "--rp-id", "keybackup:"], "backups"),
    (["wallet"], "add"),
    (["wallet", "add", "--name", "N", "--network", "bitcoin"], "--mnemonic"),
    (
      ["wallet", "add", "--name", "N", "--network", "bitcoin", "--mnemonic", "-", "--xprv", "-"],
      "one of"
    ),
    (["wallet", "add", "--name", "N", "--network", "dogecoin", "--mnemonic", "-"], "network"),
    (
      [
        "wallet", "add", "--name", "N", "--network", "bitcoin", "--mnemonic", "-", "--fingerprint",
        "xyz",
      ], "fingerprint"
    ),
    (["wallet", "show"], "wallet"),
    (["init", "a", "b"], "b"),
    (["init", ""], "folder"),
    (["status", "--folder", ""], "--folder"),
    (["restore", "--out", ""], "--out"),
    (["restore", "--out", "-"], "--out"),
    (["restore", "--names"], "--out"),
    (["unlock", "--for", "10"], "10"),
    (["unlock", "--for", "10m", "--keep"], "--keep"),
    (["derive", "--salt", "-", "--pin-fd", "0"], "standard input"),
    (["wallet", "import", "-", "--pin-fd", "0"], "standard input"),
    (["rotate", "--recovery-code"], "recovery code"),
    (["rotate", "--master-key", "--recovery-code-fd", "0"], "recovery code"),
    (["wallet", "import", "-", "--recovery-code-file", "-"], "standard input"),
    (["wallet", "import", "-", "--recovery-code-fd", "0"], "standard input"),
    (["restore", "--recovery-code-fd", "0", "--pin-fd", "0"], "standard input"),
    (["wallet", "import", "entries", "--replace"], "--covb"),
    (
      ["wallet", "add", "--name", "N", "--network", "bitcoin", "--xpub", "-", "--pin-fd", "0"],
      "standard input"
    ),
    (["pin", "change", "--pin-fd", "0", "--new-pin-fd", "0"], "descriptor each"),
  ]

  @Test(arguments: wrong.indices)
  func `A wrong command line is refused with 64`(_ index: Int) async throws {
    let (arguments, says) = Self.wrong[index]
    let backup = try Sandbox()
    let words = Array(Samples.mnemonic.utf8)
    let text = try await backup.keybackup(
      arguments, key: nil, pin: .none, input: words, expecting: nil)
    // A noun alone shows its help, which is no error.
    if arguments == ["wallet"] {
      #expect([0, 64].contains(text.code) && text.text.contains(says))
      return
    }
    expectFailure(text, 64, says: says)
    let json = try await backup.keybackup(
      arguments + ["--json"], key: nil, pin: .none, input: words, expecting: nil)
    try expectFailure(json, 64, word: "usage")
  }

  /// The message names the mistake, not that a missing command takes no `--json`.
  @Test(arguments: [["walet", "list"], ["wallet", "lsit"]])
  func `A mistyped command is told in JSON too`(_ arguments: [String]) async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      arguments + ["--json"], key: nil, pin: .none, expecting: nil)
    try expectFailure(outcome, 64, word: "usage")
    let message = try outcome.json()["error"]["message"].text ?? ""
    #expect(message.contains("'\(arguments[1])'") || message.contains("'\(arguments[0])'"))
    #expect(!message.contains("--json"), "\(message)")
  }

  @Test func `Help and version are answers`() async throws {
    let box = try Sandbox()
    let version = try await box.keybackup(["--version"], key: nil, pin: .none)
    #expect(version.out.hasPrefix("keybackup ") && version.err.isEmpty)
    let help = try await box.keybackup(["--help"], key: nil, pin: .none)
    for command in ["init", "restore", "derive", "status", "verify", "wallet", "devices"] {
      #expect(help.out.contains(command))
    }
    for command in [["restore"], ["wallet", "add"], ["derive"], ["pin", "change"]] {
      let help = try await box.keybackup(command + ["--help"], key: nil, pin: .none)
      #expect(help.out.contains("Common options: keybackup help options"))
    }
  }

  static let badSecrets: [(option: String, input: String, says: String)] = [
    ("--mnemonic", String(Samples.mnemonic.dropLast(5)) + "abandon", "checksum"),
    ("--mnemonic", Samples.mnemonic.replacing("about", with: "abuot"), "word 12"),
    ("--mnemonic", "abandon about", "words"),
    ("--mnemonic", "", "nothing"),
    ("--xprv", String(Samples.xprv.dropLast()) + "j", "checksum"),
    ("--xprv", Samples.xpub, "--xpub"),
    ("--xpub", Samples.xprv, "--xprv"),
    ("--descriptor", Samples.descriptor + "#aaaaaaaa", "checksum"),
    ("--descriptor", "wpkh(", "descriptor"),
  ]

  @Test(arguments: badSecrets.indices)
  func `A wrong wallet secret is refused and not repeated`(_ index: Int) async throws {
    let (option, input, says) = Self.badSecrets[index]
    let box = try Sandbox()
    let arguments = ["wallet", "add", "--name", "N", "--network", "bitcoin", option, "-"]
    let outcome = try await box.keybackup(
      arguments, key: nil, input: Array(input.utf8), expecting: nil)
    expectFailure(outcome, 65, says: says)
    for word in input.split(separator: " ") where word.count > 9 {
      #expect(!outcome.text.contains(word.prefix(20)), "repeated: \(outcome.text)")
    }
    let json = try await box.keybackup(
      arguments + ["--json"], key: nil, input: Array(input.utf8), expecting: nil)
    try expectFailure(json, 65, word: "data-invalid")
  }

  @Test func `A key of another network is refused`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["wallet", "add", "--name", "N", "--network", "testnet", "--xpub", "-"], key: nil,
      input: Array(Samples.xpub.utf8), expecting: nil)
    expectFailure(outcome, 65, says: "network")
  }

  @Test func `A missing input file is said to be`() async throws {
    let box = try Sandbox()
    let nowhere = box.root + "/nowhere"
    for arguments in [
      ["derive", "--salt", "file:" + nowhere], ["wallet", "import", nowhere],
      ["wallet", "add", "--name", "N", "--network", "bitcoin", "--mnemonic", nowhere],
    ] {
      let outcome = try await box.keybackup(arguments, key: nil, expecting: nil)
      expectFailure(outcome, 66, says: nowhere)
    }
  }

  @Test func `A taken ID is not overwritten`() async throws {
    let backup = try await PreparedBackup()
    let before = try Files.contents(backup.box.folder)
    let outcome = try await backup.box.keybackup(
      [
        "wallet", "add", "--name", "N", "--network", "bitcoin", "--mnemonic", "-", "--id",
        "first-wallet",
      ], input: Array(Samples.mnemonic.utf8), expecting: nil)
    expectFailure(outcome, 73, says: "first-wallet")
    #expect(try Files.contents(backup.box.folder) == before)
  }
}

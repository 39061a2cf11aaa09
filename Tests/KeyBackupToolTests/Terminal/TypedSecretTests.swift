import Testing

@testable import CommandKit

/// Secrets on the command line, where none belongs: no output repeats them.
@Suite struct TypedSecretTests {
  private static let code = "ABCD-EFGH-JKMN-PQRS-TVWX-Y"
  private static let nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
  private static let add = ["wallet", "add", "--name", "N", "--network", "bitcoin"]
  private static let words = Samples.mnemonic.split(separator: " ").map(String.init)

  /// The arguments, the exit code, and the text that must not be repeated.
  private static let typed: [(arguments: [String], code: Int32, secret: String)] = [
    (add + ["--mnemonic", Samples.mnemonic], 66, "abandon"),
    (add + ["--mnemonic=" + Samples.mnemonic], 66, "abandon"),
    (add + ["--mnemonic"] + words, 64, "abandon"),
    (add + words, 64, "abandon"),
    (add + [Samples.otherMnemonic], 64, "legal winner"),
    // With a typing error, and incomplete.
    (add + ["--mnemonic", "abandn abandon abandon abandon"], 66, "abandn"),
    (["restore", Samples.mnemonic], 64, "abandon"),
    (["status", Samples.mnemonic], 64, "abandon"),
    (["wallet", "import", Samples.mnemonic], 66, "abandon"),
    (["wallet", "show", "--nonsense", Samples.mnemonic, "x"], 64, "abandon"),
    (add + ["--xprv", Samples.xprv], 66, "xprv9s21"),
    (add + ["--descriptor", "wpkh(\(Samples.xprv)/0/*)"], 66, "xprv9s21"),
    (["nostr", "export", nsec], 64, "nsec1vl0"),
    (["nostr", "encode", "--reveal", "--secret", nsec], 66, "nsec1vl0"),
    (["restore", "--recovery-code", code], 64, "ABCD"),
    (["restore", "--recovery-code-file", code], 66, "ABCD"),
    (["restore", "--password", "1234567"], 64, "1234567"),
    (["restore", "--password=1234567"], 64, "1234567"),
    (["derive", "--salt", "x", String(repeating: "0f", count: 32)], 64, "0f0f0f0f"),
    // After a scheme or folders, with what is cleaned between the words, as a list.
    (["derive", "--salt", "file:" + Samples.mnemonic], 64, "abandon"),
    (["derive", "--salt", "file:/x/abandn abandon abandon abandon"], 66, "abandn"),
    (["key", "label", words.joined(separator: "\n"), "x"], 64, "abandon"),
    (["wallet", "import", "abandn\tabandon\nabandon\nabandon"], 66, "abandn"),
    (["init", Samples.mnemonic], 64, "abandon"),
    (["init", "1. " + words.joined(separator: " 2. ")], 64, "abandon"),
    (["init"] + words.flatMap { ["1.", $0] }, 64, "abandon"),
    (add + ["--mnemonic", "1. abandon 2. abandn 3) abandon 4: abandon"], 66, "abandn"),
    // Right after the option.
    (add + ["--xprv" + Samples.xprv], 64, "xprv9s21"),
    (add + ["--mnemonic" + Samples.mnemonic], 64, "abandon abandon"),
    (["nostr", "export", "--nsec" + nsec], 64, "nsec1vl0"),
    (["restore", "--recovery-code" + code], 64, "ABCD"),
    (["restore", "--xprv" + String(repeating: "0f", count: 32)], 64, "0f0f0f0f"),
    (["restore", "-p654321"], 64, "654321"),
    (["wallet", "list", "654321"], 64, "654321"),
    (["unlock", "--for", "654321"], 64, "654321"),
  ]

  @Test(arguments: typed.indices)
  func `Nothing repeats a typed secret`(_ index: Int) async throws {
    let (arguments, code, secret) = Self.typed[index]
    let box = try Sandbox()
    let told = try await box.keybackup(
      arguments, key: nil, pin: .none, expecting: nil, secrets: true)
    // A code can be revoked.
    let isCode = arguments.contains { SecretLook.isRecoveryCode($0) }
    let advice = isCode ? "revoke that kit" : "move the coins"
    expectFailure(told, code, says: "looks like a secret", "shell's history", advice)
    #expect(told.text.contains("move the coins") == !isCode, "\(told.text)")
    #expect(!told.text.contains(secret), "\(told.text)")
    let json = try await box.keybackup(
      arguments + ["--json"], key: nil, pin: .none, expecting: nil, secrets: true)
    try expectFailure(json, code, word: code == 64 ? "usage" : "no-input")
    #expect(!json.text.contains(secret), "\(json.text)")
  }

  /// A PIN in place of a descriptor, or of a name.
  @Test func `No number is repeated`() async throws {
    let backup = try await PreparedBackup()
    for (arguments, code, says) in [
      (["restore", "--pin-fd", "654321"], 64 as Int32, "the descriptor that it names is not open"),
      (["restore", "--events-fd=654321"], 64, "the descriptor that it names is not open"),
      (["restore", "--pin-fd", "65432165432"], 64, "is not a descriptor"),
      (["key", "remove", "654321"], 66, "..."),
    ] {
      let told = try await backup.box.keybackup(arguments, pin: .none, expecting: nil)
      expectFailure(told, code, says: says)
      #expect(!told.text.contains("654321"), "\(told.text)")
      #expect(!told.text.contains("move the coins"), "it may be a short ID: \(told.text)")
    }
  }

  /// Hints name the folder that was typed.
  @Test func `No hint repeats a secret in the folder's place`() async throws {
    let backup = try await PreparedBackup()
    let secret = "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjvo"
    for words in [["wallet", "list", "--bogus"], ["wallet", "show", "nope"]] {
      for json in [[], ["--json"]] {
        let told = try await backup.box.keybackup(
          words + ["--folder", secret] + json, pin: .none, expecting: nil)
        #expect(told.code != 0 && !told.text.contains(secret), "\(told.text)")
      }
    }
  }

  /// A command line with a mistake says nothing certain of its folder.
  @Test func `No hint takes an option for the folder`() async throws {
    let backup = try await PreparedBackup()
    for words in [["--folder", "--json"], ["--folder="]] {
      let told = try await backup.box.keybackup(
        ["wallet", "list"] + words, pin: .none, expecting: 64)
      #expect(!told.text.contains("wallet list --folder"), "\(told.text)")
    }
  }

  @Test func `A note is shown without the number`() {
    let typed = TypedSecrets(["recovery-kit", "create", "--out=654321"])
    #expect(typed.hiding(line: "1. Print /x/654321, 2 times") == "1. Print /x/..., 2 times")
    #expect(typed.hiding(line: "1. Print it") == "1. Print it")
  }

  /// A command that does its work repeats nothing in its notes either.
  @Test func `No note repeats it`() async throws {
    let backup = try await PreparedBackup()
    let typed = "abandn abandon abandon abandon"
    let added = try await backup.box.keybackup(
      ["wallet", "add", "--name", typed, "--network", "bitcoin", "--mnemonic", "-"],
      input: Array(Samples.mnemonic.utf8))
    #expect(!added.text.contains("abandn"), "\(added.text)")
    #expect(added.err.contains("a note is left out here: an argument looks like a secret"))
    #expect(added.err.contains("Master fingerprint 73c5da0a"), "the others are shown")
    // A year is a name like others.
    let named = try await backup.box.keybackup(
      ["wallet", "add", "--name", "2024", "--network", "bitcoin", "--xpub", "-"],
      input: Array(Samples.xpub.utf8))
    #expect(named.err.contains("Added \"2024\""), "\(named.err)")
  }

  /// What the person has to do next is never left out.
  @Test(arguments: ["abandon ability able about.html", "recovery-kit abandon ability able about"])
  func `The steps of a new kit are shown, whatever its page is called`(name: String) async throws {
    let backup = try await PreparedBackup()
    let made = try await backup.box.keybackup(
      ["recovery-kit", "create", "--out", backup.box.root + "/" + name])
    for step in [
      "1. Print the file that --out names\n", "2. Test the code as it stands on paper.",
      "3. Delete the file that --out names: anyone",
    ] {
      #expect(made.err.contains(step), "\(step): \(made.err)")
    }
    #expect(!made.err.contains("left out") && !made.err.contains("abandon"), "\(made.err)")
  }

  @Test func `Of a path only the name that looks like words is hidden`() {
    let page = "/home/alice/papers/abandon ability able about.html"
    let typed = TypedSecrets(["recovery-kit", "create", "--out", page])
    #expect(typed.hiding(line: "see /home/alice/papers") == "see /home/alice/papers")
    #expect(typed.hiding(line: "see " + page).contains("left out"))
    #expect(typed.naming(page, else: "the page") == "the page")
    // Nor does it show where a shell's escapes stand between the words.
    let odd = "/home/alice/abandon\nability\table about"
    let typedOdd = TypedSecrets(["recovery-kit", "create", "--out", odd])
    #expect(typedOdd.naming(odd, else: "the page") == "the page")
    #expect(typed.naming("/home/alice/kit.html", else: "the page") == "/home/alice/kit.html")
  }

  /// Who has one sees every address.
  @Test func `An extended public key is not repeated whole`() async throws {
    let box = try Sandbox()
    let made = ["--name", "N", "--network", "bitcoin"]
    for line in [
      ["wallet", "add", "--xpub", Samples.xpub] + made,
      ["wallet", "add", "--xpub=\(Samples.xpub)"] + made,
      ["wallet", "add", "--descriptor", "wpkh(\(Samples.xpub)/0/*)"] + made,
      ["wallet", "add", Samples.xpub] + made, ["wallet", "import", Samples.xpub],
    ] {
      for json in [[], ["--json"]] {
        let told = try await box.keybackup(line + json, key: nil, pin: .none, expecting: nil)
        #expect(told.code != 0 && !told.text.contains(Samples.xpub.dropFirst(8)), "\(told.text)")
        #expect(told.text.contains("shell's history"), "\(told.text)")
      }
    }
  }

  @Test func `An endless line ends`() async throws {
    let backup = try await PreparedBackup()
    let told = try await backup.box.keybackup(
      ["restore", "--pin-fd", "8"], pin: .none,
      wrapper: ["sh", "-c", #"exec "$@" 8</dev/zero"#, "sh"], expecting: nil)
    expectFailure(told, 65, says: "64 KiB")
  }

  /// Nobody is alarmed by a text that is no secret.
  @Test func `What is none is repeated`() async throws {
    let box = try Sandbox()
    for (arguments, code, says) in [
      (["init", "a", "b"], 64 as Int32, "'b'"), (["key", "add", "label"], 64, "'label'"),
      (["wallet", "import", box.root + "/my words.txt"], 66, "my words.txt"),
      (["restore", "--namespace", "0ed621cc35bef8de5320ae1a8840198d", "x"], 64, "'x'"),
    ] {
      let told = try await box.keybackup(arguments, key: nil, pin: .none, expecting: nil)
      expectFailure(told, code, says: says)
      #expect(!told.err.contains("looks like a secret"), "\(told.err)")
    }
  }

  // MARK: Where they do belong

  /// Without a source the user is asked, and typed text is not shown.
  @Test func `The hidden prompt is the default`() async throws {
    let backup = try await PreparedBackup()
    let added = try await backup.box.keybackup(
      Self.add + ["--json"],
      terminal: [.expect("BIP-39 words (hidden): "), .type(Samples.mnemonic + "\n")])
    #expect(added.stepsLeft.isEmpty && added.terminalIsSane)
    #expect(!added.screen.contains("abandon"), "\(added.screen)")
    #expect(try added.json()["fingerprint"].text == "73c5da0a")
    let nobody = try await backup.box.keybackup(Self.add, expecting: nil)
    expectFailure(nobody, 64, says: "--mnemonic")
  }

  @Test func `The file that still holds them is named`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let file = box.root + "/words.txt"
    try Files.write(Samples.mnemonic, to: file)
    let added = try await box.keybackup(Self.add + ["--mnemonic", file])
    #expect(added.err.contains("\(file) still holds the secret"), "\(added.err)")
    let piped = try await box.keybackup(
      Self.add + ["--mnemonic", "-"], input: Array(Samples.mnemonic.utf8))
    #expect(!piped.err.contains("still holds"), "\(piped.err)")
    try Files.write(Samples.entry(id: "other", name: "Other"), to: file)
    let imported = try await box.keybackup(["wallet", "import", file])
    #expect(imported.err.contains("\(file) still holds the secret"), "\(imported.err)")
  }
}

import Foundation
import Testing

/// `keybackup foreign celo` on the known answers, which another program made.
@Suite struct CeloCommandTests {
  private static let data = "backup test data"
  private static let fuseKey = "606162636465666768696a6b6c6d6e6f"
  private static let odisOutput = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"

  /// The file of a case, and private files with what opens it.
  private struct Given {
    let box: Sandbox
    var file: String { box.root + "/backup.json" }
    var password: [String] { ["--password-file", box.root + "/password"] }
    var fuse: [String] { ["--fuse-key-file", box.root + "/fuse"] }
    var odis: [String] { ["--odis-output-file", box.root + "/odis"] }

    /// Takes the case with this in its name, after a change of its text.
    init(_ name: String, change: (inout [String: Any]) -> Void = { _ in }) throws {
      box = try Sandbox()
      let path = Build.root + "/Tests/Vectors/foreign/celo.json"
      let all = try JSONSerialization.jsonObject(with: Data(Files.read(path))) as? [String: Any]
      let cases = all?["cases"] as? [[String: Any]] ?? []
      let found = cases.first { ($0["name"] as? String ?? "").contains(name) }
      var backup = try #require(found?["backup_json"] as? [String: Any])
      change(&backup)
      try Files.write(
        [UInt8](JSONSerialization.data(withJSONObject: backup)), to: box.root + "/backup.json")
      try Files.write("backup test password\n", to: box.root + "/password", mode: 0o600)
      try Files.write(CeloCommandTests.fuseKey.uppercased(), to: box.root + "/fuse", mode: 0o600)
      try Files.write(
        Data(bytes(hex: CeloCommandTests.odisOutput)).base64EncodedString() + "\r\n",
        to: box.root + "/odis", mode: 0o600)
    }

    /// Runs a command without a security key.
    @discardableResult
    func celo(
      _ verb: String, _ arguments: [String] = [], input: [UInt8] = [],
      terminal: [TerminalStep]? = nil, columns: UInt16 = 1000
    ) async throws -> Outcome {
      try await box.keybackup(
        ["foreign", "celo", verb] + arguments, key: nil, pin: .none, input: input,
        terminal: terminal, columns: columns, expecting: nil)
    }
  }

  // MARK: Opening

  @Test(arguments: [
    ("pin-profile", true, true), ("password-profile", false, true),
    ("only scrypt 32768", false, false),
    ("scrypt 1024", false, false), ("pbkdf2", false, false),
  ])
  func `Every known file is opened`(name: String, hasFuse: Bool, hasODIS: Bool) async throws {
    let given = try Given(name)
    let arguments =
      [given.file] + given.password + (hasFuse ? given.fuse : []) + (hasODIS ? given.odis : [])
    let plain = try await given.celo("open", arguments)
    #expect(plain.code == 0 && plain.out == Self.data && plain.err.isEmpty, "\(plain.text)")
    let json = try await given.celo("open", arguments + ["--json"]).json()
    #expect(json["size"].number == 16 && json["schema"].number == 1)
    #expect(json["data"].text == hex(Array(Self.data.utf8)))
    let out = given.box.root + "/out"
    let written = try await given.celo("open", arguments + ["--out", out, "--json"]).json()
    #expect(written["size"].number == 16 && !written.names.contains("data"))
    #expect(try Files.text(out) == Self.data && Files.mode(out) == 0o600)
    // Never over an existing file.
    try expectFailure(
      await given.celo("open", arguments + ["--out", out, "--json"]), 73, word: "cannot-create")
    #expect(try Files.text(out) == Self.data)
  }

  @Test func `The circuit breaker's own key opens, another one does not`() async throws {
    let given = try Given("scrypt 1024")
    let made = try await given.box.run(Python.script("reader/celo.py") + ["make", "2"], key: nil)
    // The second has no part of ODIS: a fuse key and a computation.
    let one = try JSON(made.output).items[1]
    try Files.write(try #require(one["file"].text), to: given.file)
    let pem = given.box.root + "/key.pem"
    try Files.write(try #require(one["breaker_key"].text), to: pem)
    try Files.write(
      try #require(one["password"].text), to: given.box.root + "/password", mode: 0o600)
    let arguments = [given.file, "--json"] + given.password
    let key = ["--breaker-key", pem]
    let open = try await given.celo("open", arguments.filter { $0 != "--json" } + key)
    expectFailure(open, 78, says: "others can read the circuit breaker's key file")
    try Files.setMode(pem, 0o600)
    let opened = try await given.celo("open", arguments + key).json()
    #expect(
      opened["data"].text
        == one["data"].text)
    let other = try JSON(made.output).items[0]["breaker_key"].text
    try Files.write(try #require(other), to: pem, mode: 0o600)
    let refused = try await given.celo("open", arguments + key)
    try expectFailure(refused, 80, word: "wrong-key")
    #expect(try refused.json()["error"]["message"].text?.contains("circuit breaker") == true)
    try Files.write("no key", to: pem, mode: 0o600)
    let none = try await given.celo("open", arguments + key)
    try expectFailure(none, 65, word: "data-invalid")
    #expect(none.out.contains("\(pem) is no private RSA key"), "\(none.out)")
    let locked = try await given.box.run(
      ["openssl", "genrsa", "-aes128", "-passout", "pass:xyzw", "-out", pem, "1024"], key: nil)
    try #require(locked.code == 0, "\(locked.text)")
    let asking = try await given.celo("open", arguments + key)
    #expect(
      try asking.json()["error"]["hint"].text
        == "make a copy without it: openssl pkey -in KEY -out COPY")
  }

  @Test func `Secrets in the backup's folder are refused, and nothing is written there`()
    async throws
  {
    let backup = try await PreparedBackup()
    let given = try Given("pbkdf2")
    let inside = backup.box.folder + "/secret"
    try Files.copy(given.box.root + "/password", to: inside)
    let folder = ["--folder", backup.box.folder]
    for option in ["--password-file", "--fuse-key-file", "--odis-output-file", "--breaker-key"] {
      let refused = try await given.celo("open", [given.file, option, inside] + folder)
      expectFailure(refused, 78, says: "\(inside) is in a synced folder")
    }
    let out = backup.box.folder + "/words.txt"
    let written = try await given.celo(
      "open", [given.file, "--out", out] + given.password + folder)
    expectFailure(written, 73, says: "is in a synced folder")
    #expect(!Files.exists(out))
    // `write` has no --folder: it goes by the backups that this computer knows.
    for arguments in [[inside] + given.password, [given.file, "--password-file", inside]] {
      let refused = try await backup.box.keybackup(
        ["foreign", "celo", "write", "--out", given.box.root + "/new.json"] + arguments, key: nil,
        pin: .none, expecting: nil)
      expectFailure(refused, 78, says: "\(inside) is in a synced folder")
    }
  }

  @Test func `A program is asked for the output of ODIS, and told the domain and the message`()
    async throws
  {
    let given = try Given("password-profile")
    let program = given.box.root + "/asker"
    let asked = given.box.root + "/asked"
    // It reads to the end of its input.
    try Files.write(
      "#!/bin/sh\ncat >\(asked)\necho \(Self.odisOutput)\n", to: program, mode: 0o700)
    let arguments = [given.file, "--odis-program", program] + given.password
    let opened = try await given.celo("open", arguments)
    #expect(opened.out == Self.data, "\(opened.text)")
    let question = try JSON(Files.read(asked))
    #expect(
      question["domain_hash"].text
        == "4c6ff67e8d57f8c6be183ce2b8ed0464dce7c6a9ce91b41b4e2ae8bc9f40597c")
    #expect(
      question["message"].text
        == "609b186be7cad4ca448c6ff9e2d1ed0c625a24e018f21b09f39e3b55546a7283")
    for (script, code) in [("exit 1", 85), ("echo 1234", 65), ("yes", 85)] as [(String, Int32)] {
      try Files.remove(program)
      try Files.write("#!/bin/sh\n\(script)\n", to: program, mode: 0o700)
      let refused = try await given.celo("open", arguments)
      expectFailure(refused, code, says: "output of ODIS")
    }
    let missing = try await given.celo(
      "open", [given.file, "--odis-program", given.box.root + "/none"] + given.password)
    expectFailure(missing, 78, says: "--odis-program")
    let unknown = try await given.celo(
      "open", [given.file, "--odis-program", "nope"] + given.password)
    expectFailure(unknown, 78, says: "the program nope")
  }

  @Test func `What is needed and not given is named with what can be done`() async throws {
    let given = try Given("pin-profile")
    let noODIS = try await given.celo("open", [given.file, "--no-input"] + given.password)
    expectFailure(noODIS, 78, says: "the output of ODIS is needed", "is gone")
    let noFuse = try await given.celo(
      "open", [given.file, "--no-input"] + given.password + given.odis)
    expectFailure(noFuse, 78, says: "the fuse key is needed", "--breaker-key")
    let noPassword = try await given.celo(
      "open", [given.file, "--no-input"] + given.fuse + given.odis)
    expectFailure(noPassword, 78, says: "the password or PIN of the backup is needed")
    let plain = try Given("pbkdf2")
    for extra in [plain.fuse, plain.odis] {
      let tooMuch = try await plain.celo("open", [plain.file] + plain.password + extra)
      expectFailure(tooMuch, 64, says: "this file has no ")
    }
  }

  @Test func `A wrong secret and a changed file look the same, and nothing comes out`() async throws
  {
    let given = try Given("pbkdf2")
    try Files.write("backup test passwore", to: given.box.root + "/password", mode: 0o600)
    let wrong = try await given.celo("open", [given.file] + given.password)
    expectFailure(wrong, 80, says: "the password does not open this backup")
    let renamed = try Given("pin-profile") { backup in
      backup["odisDomaim"] = backup.removeValue(forKey: "odisDomain")
    }
    let named = try await renamed.celo("open", [renamed.file] + renamed.password + renamed.fuse)
    expectFailure(named, 80, says: "odisDomaim. Its name may have been changed")
    let limit = try Given("pbkdf2") { backup in
      backup["computationalHardening"] = ["function": "scrypt", "cost": 1 << 40]
    }
    for verb in ["open", "inspect"] {
      let bomb = try await limit.celo(verb, [limit.file] + (verb == "open" ? limit.password : []))
      expectFailure(bomb, 65, says: "the memory that computationalHardening asks for")
    }
  }

  @Test func `A file that nothing hardens needs --unhardened`() async throws {
    let given = try Given("pbkdf2")
    // The last of eight that the other program makes has no hardening at all.
    let made = try await given.box.run(Python.script("reader/celo.py") + ["make", "8"], key: nil)
    let one = try JSON(made.output).items[7]
    try Files.write(try #require(one["file"].text), to: given.file)
    try Files.write(
      try #require(one["password"].text), to: given.box.root + "/password", mode: 0o600)
    let arguments = [given.file, "--json"] + given.password
    let refused = try await given.celo("open", arguments)
    try expectFailure(refused, 65, word: "data-invalid")
    #expect(try refused.json()["error"]["hint"].text?.contains("--unhardened") == true)
    let opened = try await given.celo("open", arguments + ["--unhardened"]).json()
    #expect(
      opened["data"].text == one["data"].text)
    let seen = try await given.celo("inspect", [given.file, "--json"]).json()
    #expect(seen["hardened"].flag == false && seen["hardening"].items.isEmpty)
  }

  @Test func `A terminal asks for each secret, and shows none of them`() async throws {
    let given = try Given("pin-profile")
    let shown = try await given.celo(
      "open", [given.file],
      terminal: [
        .expect("Celo's ODIS is gone"),
        .expect("Fuse key, 32 hex digits or base64"), .type(Self.fuseKey + "\n"),
        .expect("Password or PIN of the backup (hidden)"), .type("backup test password\n"),
        .expect("Output of ODIS, 64 hex digits or base64"), .type(Self.odisOutput + "\n"),
      ])
    #expect(shown.code == 0 && shown.stepsLeft.isEmpty, "\(shown.screen)")
    #expect(shown.out == Self.data)
    #expect(!shown.screen.contains(Self.fuseKey) && !shown.screen.contains("test password"))
  }

  @Test func `A password that comes from standard input is never shown`() async throws {
    let given = try Given("pbkdf2")
    let words = [given.file, "--password-file", "-"]
    let piped = try await given.celo("open", words, input: Array("backup test password\n".utf8))
    #expect(piped.code == 0 && piped.out == Self.data, "\(piped.text)")
    let typed = try await given.celo(
      "open", words,
      terminal: [
        .expect("Password or PIN of the backup (hidden)"), .type("backup test password\n"),
      ])
    #expect(typed.code == 0 && typed.out == Self.data && typed.stepsLeft.isEmpty, "\(typed.screen)")
    #expect(!typed.screen.contains("test password"))
  }

  // MARK: Adding

  @Test func `--add makes a wallet of words and a file of anything else`() async throws {
    let backup = try await PreparedBackup()
    let given = try Given("pbkdf2")
    func add(_ file: String, _ arguments: [String] = []) async throws -> JSON {
      try await backup.box.keybackup(
        ["foreign", "celo", "open", file, "--add", "--name", "From Celo", "--json"] + given.password
          + arguments
      ).json()
    }
    let words = given.box.root + "/words.json"
    try await given.celo(
      "write", ["--out", words] + given.password, input: Array("\(Samples.mnemonic)\n".utf8))
    func changed(_ answer: JSON, _ kind: String) -> [Bool?] {
      answer["added"][kind].items.map { $0["changed"].flag }
    }
    #expect(changed(try await add(words), "wallets") == [true])
    #expect(changed(try await add(words), "wallets") == [false])
    let wallets = try await backup.box.keybackup(["wallet", "list", "--json"]).json()["wallets"]
    let added = wallets.items.filter { $0["name"].text == "From Celo" }
    #expect(added.count == 1 && added[0]["kind"].text == "mnemonic")
    #expect(
      added[0]["network"].text?.lowercased() == "bitcoin" && added[0]["fingerprint"].text != nil)
    let asFile = try await backup.box.keybackup(
      [
        "foreign", "celo", "open", given.file, "--add", "--name", "From Celo", "--json",
        "--network", "testnet",
      ] + given.password)
    #expect(changed(try asFile.json(), "files") == [true])
    #expect(
      asFile.err.contains("no BIP-39 words, so it is saved as a file, and --network has no effect"),
      "\(asFile.err)")
    #expect(changed(try await add(given.file), "files") == [false])
    try await backup.box.keybackup(
      ["file", "restore", "From Celo", "--out", given.box.root + "/back"])
    let restored = Files.tree(given.box.root + "/back").map { given.box.root + "/back/" + $0 }
    #expect(try restored.map(Files.text) == [Self.data])
    #expect(restored.first?.hasSuffix("/From Celo") == true)
    // A wrong password is told before the key is asked.
    let trace = try await backup.box.traced {
      try Files.write("wrong", to: given.box.root + "/password", mode: 0o600)
      let refused = try await backup.box.keybackup(
        ["foreign", "celo", "open", words, "--add", "--name", "x"] + given.password, expecting: nil)
      expectFailure(refused, 80, says: "the password does not open")
    }
    #expect(trace.isEmpty)
    for wrong in [
      ["--name", "x"], ["--add", "--name", "a/b"], ["--add", "--name", "x", "--reveal"],
    ] {
      let refused = try await given.celo("open", [given.file] + wrong)
      #expect(refused.code == 64, "\(refused.text)")
    }
  }

  @Test func `A name is made where none is given, and the output says what words are for`()
    async throws
  {
    let backup = try await PreparedBackup()
    let given = try Given("pbkdf2")
    func add(_ file: String) async throws -> Outcome {
      try await backup.box.keybackup(
        ["foreign", "celo", "open", file, "--add", "--json"] + given.password)
    }
    let file = try await add(given.file)
    let nonce = try #require(
      Data(base64Encoded: try JSON(Files.read(given.file))["nonce"].text ?? ""))
    #expect(
      try file.json()["added"]["files"][0]["name"].text
        == "celo-backup-" + hex(Array(nonce.prefix(4))))
    // The last of twelve words has the checksum.
    let words = Samples.mnemonic.split(separator: " ").dropLast().joined(separator: " ") + " zoo"
    for (text, says) in [
      (Samples.mnemonic, "m/44'/52752'/0'/0"),
      (words, "The checksum of its words is wrong, so it is saved"),
    ] {
      let made = given.box.root + "/Valora \(says.count).json"
      try await given.celo("write", ["--out", made] + given.password, input: Array(text.utf8))
      let added = try await add(made)
      #expect(added.err.contains(says), "\(added.err)")
      let json = try added.json()["added"]
      let names = ["wallets", "files"].flatMap { json[$0].items.compactMap { $0["name"].text } }
      #expect(names.count == 1 && names[0].hasPrefix("celo-Valora"), "\(names)")
    }
  }

  @Test func `Files and places are looked at before anything is asked`() async throws {
    let given = try Given("pin-profile")
    try Files.setMode(given.box.root + "/odis", 0o644)
    let open = try await given.celo("open", [given.file] + given.odis, terminal: [])
    #expect(open.code == 78, "\(open.screen)")
    #expect(open.screen.contains("others can read the output of ODIS file"), "\(open.screen)")
    for (path, says) in [
      ("~/new.json", "the shell did not expand ~"),
      (given.box.root + "/none/new.json", "its folder is not there"),
    ] {
      let write = try await given.celo("write", [given.file, "--out", path], terminal: [])
      #expect(write.code == 73 && write.screen.contains(says), "\(write.screen)")
      let opened = try await given.celo("open", [given.file, "--out", path], terminal: [])
      #expect(opened.code == 73 && !opened.screen.contains("(hidden)"), "\(opened.screen)")
    }
  }

  // MARK: Looking

  @Test func `inspect says what hardens a file, what opens it, and its schedule`() async throws {
    let given = try Given("pin-profile") { backup in
      backup["metadata"] = ["note": "\u{1B}[31mred"]
      backup["later"] = 1
    }
    let text = try await given.celo("inspect", [given.file])
    #expect(text.code == 0)
    for part in [
      "Hardened by   ODIS, a circuit breaker's fuse key",
      "Celo's ODIS is gone", "20 after the one that made the backup, the last 262450 seconds",
      "79da8e7a3e34efc17ddd4926bde3285a94460fa2907e42c70ab972802c70fc57",
      "0x14d25D3fC2B45893C9E67B55d8Cc8831B36384Ac", "https://odis.example (a claim)",
      "Unknown       later", "16     86400    1      1",
    ] { #expect(text.out.contains(part), "\(part) \(text.out)") }
    #expect(!text.out.contains("\u{1B}"))
    #expect(text.err.contains("Nothing of this is authenticated."))
    let json = try await given.celo("inspect", [given.file, "--json"]).json()
    #expect(json["authenticated"].flag == false && json["hardened"].flag == true)
    #expect(json["hardening"].items.map(\.text) == ["odis", "circuit-breaker"])
    #expect(json["needs"].items.map(\.text) == ["password", "fuse-key", "odis-output"])
    #expect(json["odis"]["tries"].number == 20 && json["odis"]["seconds"].number == 262_450)
    #expect(json["odis"]["schedule"].items.count == 21)
    #expect(json["odis"]["service_gone"].flag == true)
    #expect(json["unknown_fields"].items.map(\.text) == ["later"])
    let password = try Given("password-profile")
    let other = try await password.celo("inspect", [password.file, "--json"]).json()
    #expect(other["odis"]["tries"].number == 105 && other["odis"]["seconds"].number == 903_350)
    #expect(other["computational"]["memory"].number == 33_557_504)
  }

  @Test func `A changed address or nonce is refused without a secret`() async throws {
    let given = try Given("pin-profile") { backup in
      backup["nonce"] = Data(repeating: 7, count: 32).base64EncodedString()
    }
    for verb in ["inspect", "open", "request"] {
      let refused = try await given.celo(verb, [given.file, "--json"])
      #expect(refused.code == 65)
      #expect(try refused.json()["error"]["message"].text?.contains("odisDomain.address") == true)
    }
    let missing = try await given.celo("inspect", [given.box.root + "/none", "--json"])
    try expectFailure(missing, 66, word: "no-input")
    for text in ["", "{}", "no JSON"] {
      try Files.write(text, to: given.file)
      try expectFailure(
        await given.celo("inspect", [given.file, "--json"]), 65, word: "data-invalid")
    }
  }

  // MARK: Requests

  @Test func `A signed request is the known one, and another program knows who signed`()
    async throws
  {
    let given = try Given("pin-profile")
    let quota = try await given.celo("request", [given.file, "--session-id", "test-session"])
    #expect(
      try JSON(quota.output)["options"]["signature"]["value"].text
        == "0x8d187fb60849e1bc983b76a5fffb83732ba8c0acf22be9d944f0164c4f15cd704ea4d3448c0ecc9d7ce716df73c976d2d5e20bc53b69a957a78e200ed6840d661b"
    )
    let sign = try await given.celo(
      "request",
      [
        given.file, "--kind", "sign", "--counter", "0", "--blinded-message", "AAAA", "--session-id",
        "test-session", "--json",
      ]
    ).json()
    #expect(
      sign["hash"].text == "0858a71b991e284282e0b50752251da54e017670b7b415cd00b6173d9a52b675")
    #expect(sign["endpoint"].text == "/domain/sign")
    #expect(
      sign["request"]["options"]["signature"]["value"].text
        == "0xc3f5c9b081cb9805ff4d464410d32267d8b18df6dcf5de6b5f17620b932a55a54c5d7b0d5f0dcb2a6d14334ac4d0705df99d43c0e102446e8aaac93ab40fe3d91b"
    )
    let disable = try await given.celo("request", [given.file, "--kind", "disable"])
    let both = try JSONSerialization.data(withJSONObject: [
      "file": Files.text(given.file),
      "request": try JSONSerialization.jsonObject(with: Data(disable.output)),
    ])
    let signer = try await given.box.run(
      Python.script("reader/celo.py") + ["request"], key: nil, input: [UInt8](both))
    #expect(signer.out == "0x14d25D3fC2B45893C9E67B55d8Cc8831B36384Ac\n", "\(signer.text)")
    for wrong in [
      ["--kind", "sign"], ["--kind", "sign", "--blinded-message", "AAAA"], ["--kind", "foo"],
      ["--blinded-message", "AAAA"],
      ["--kind", "sign", "--blinded-message", "A", "--counter", "1"],
    ] {
      #expect(try await given.celo("request", [given.file] + wrong).code == 64, "\(wrong)")
    }
    let plain = try Given("pbkdf2")
    expectFailure(
      try await plain.celo("request", [plain.file]), 65, says: "has no odisDomain")
  }

  // MARK: Writing

  @Test func `What is written is opened by the other program and by this one`() async throws {
    let given = try Given("pbkdf2")
    let new = given.box.root + "/new.json"
    let words = Array("legal winner thank\n".utf8)
    let outcome = try await given.celo(
      "write", ["--out", new, "--json"] + given.password, input: words)
    #expect(outcome.err.contains("ends with a line end"), "\(outcome.err)")
    let written = try outcome.json()
    #expect(written["file"].text == new && written["data_size"].number == 19)
    #expect(written["computational"]["cost"].number == 16384)
    #expect(written["computational"]["parallelization"].number == 5)
    #expect(Files.mode(new) == 0o600)
    let text = try Files.text(new)
    let question = try JSONSerialization.data(withJSONObject: [
      "file": text, "password": hex(Array("backup test password".utf8)), "fuse_key": "",
      "odis_output": "",
    ])
    let theirs = try await given.box.run(
      Python.script("reader/celo.py") + ["open"], key: nil, input: [UInt8](question))
    #expect(theirs.out == hex(words) + "\n", "\(theirs.text)")
    let ours = try await given.box.keybackup(
      ["foreign", "celo", "open", new] + given.password, key: nil, pin: .none, secrets: true)
    #expect(ours.output == words)
    let again = try await given.celo("write", ["--out", new, "--json"] + given.password)
    try expectFailure(again, 73, word: "cannot-create")
    #expect(try Files.text(new) == text)
  }

  @Test func `Weak costs, an empty password and no password are refused, and nothing is written`()
    async throws
  {
    let given = try Given("pbkdf2")
    let new = given.box.root + "/new.json"
    for (costs, words) in [
      (["--cost", "1024"], "scrypt's costs are too low"),
      (["--cost", "10000"], "--cost is a power of two from 2 on"),
      (["--cost", "0"], "--cost is a power of two from 2 on"),
      (["--cost", "1073741824"], "scrypt's costs are too high"),
      (["--parallelization", "0"], "--block-size and --parallelization are numbers from 1 on"),
      (["--cost", "65536", "--block-size", "1"], "scrypt does not take these"),
      (["--block-size", "1"], "scrypt's costs are too low"),
    ] {
      let weak = try await given.celo(
        "write", ["--out", new] + costs + given.password, input: [65])
      #expect(weak.code == 64 && weak.err.contains(words), "\(weak.text)")
    }
    // The program in front of the pipe failed.
    let nothing = try await given.celo("write", ["--out", new] + given.password)
    expectFailure(nothing, 66, says: "the input is empty, so nothing was backed up")
    let nobody = try await given.celo("write", ["--out", new, "--no-input"], input: [65])
    expectFailure(nobody, 78, says: "password")
    try Files.write("\n", to: given.box.root + "/password", mode: 0o600)
    let empty = try await given.celo("write", ["--out", new] + given.password, input: [65])
    expectFailure(empty, 65, says: "the password is empty")
    #expect(!Files.exists(new))
    // Celo's own costs are more than Celo's own program can compute.
    try Files.write("short", to: given.box.root + "/password", mode: 0o600)
    let theirs = try await given.celo(
      "write", ["--out", new, "--cost", "32768"] + given.password, input: [65])
    #expect(theirs.code == 0 && theirs.err.contains("32 MiB") && theirs.err.contains("is short"))
    let standard = try await given.celo(
      "write", ["--out", "-", "--quiet"] + given.password, input: [65])
    #expect(try JSON(standard.output)["computationalHardening"]["parallelization"].number == 5)
    #expect(standard.err.isEmpty)
  }
}

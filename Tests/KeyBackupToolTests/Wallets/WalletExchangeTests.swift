import FoundationEssentials
import Testing

/// Tests `wallet import` and `wallet export` with other programs on the other side.
@Suite struct WalletExchangeTests {
  static let password = "correct horse battery staple"

  /// A `.covb` content with one wallet of every kind.
  static let covb =
    #"{"version":2,"created_at":1780000000,"wallets":["#
    + #"{"metadata":{"id":"hot","name":"Hot","color":"Blue","verified":true,"network":"Bitcoin","kept":[1,{"x":null}]},"secret":{"Mnemonic":"\#(Samples.mnemonic)"},"descriptors":null,"xpub":null,"labels_jsonl":"{\"type\":\"tx\",\"ref\":\"aa\",\"label\":\"rent\"}\n"},"#
    + #"{"metadata":{"id":"key","name":"Key","color":"Red","verified":true,"network":"Bitcoin"},"secret":{"Xprv":"\#(Samples.xprv)"},"descriptors":{"external":"wpkh(\#(Samples.xpub)/0/*)","internal":"wpkh(\#(Samples.xpub)/1/*)"},"xpub":"\#(Samples.xpub)","labels_jsonl":null},"#
    + #"{"metadata":{"id":"card","name":"Card","color":"Red","verified":true,"network":"Bitcoin"},"secret":{"TapSignerBackup":[0,1,255]},"descriptors":null,"xpub":null,"labels_jsonl":null},"#
    + #"{"metadata":{"id":"watch","name":"Watch","color":"Red","verified":true,"network":"Signet"},"secret":"None","descriptors":null,"xpub":"tpub1","labels_jsonl":null}"#
    + #"],"settings":{"selected_network":"bitcoin","selected_fiat_currency":null,"color_scheme":null,"selected_nodes":[],"custom_block_explorers":{}}}"#

  private func python(
    _ box: Sandbox, _ verb: String, _ file: String, input: [UInt8] = []
  ) async throws -> [UInt8] {
    let outcome = try await box.run(
      Python.script("reader/covb.py") + [verb, file, box.root + "/password"], key: nil,
      input: input)
    #expect(outcome.code == 0, "\(outcome.err)")
    return outcome.output
  }

  @Test func `Covb travels both ways`() async throws {
    let box = try Sandbox()
    let (theirs, ours) = (box.root + "/theirs.covb", box.root + "/ours.covb")
    try Files.write(" correct horse\tbattery staple \n", to: box.root + "/password", mode: 0o600)
    _ = try await python(box, "write", theirs, input: Array(Self.covb.utf8))
    try await box.keybackup(["init"])
    let given = ["--password-file", box.root + "/password"]
    let first = try await box.keybackup(["wallet", "import", "--json", "--covb", theirs] + given)
      .json()
    #expect(first["imported"].number == 4 && first["problems"].items.isEmpty)
    try await box.keybackup(["wallet", "export", "--covb", ours] + given)
    #expect(Files.mode(ours) == 0o600)
    // Cove would read what it wrote, whatever the order.
    func wallets(_ bytes: [UInt8]) throws -> [String: JSON] {
      let items = try JSON(bytes)["wallets"].items
      return Dictionary(
        uniqueKeysWithValues: items.map { ($0["metadata"]["id"].text ?? "", $0) })
    }
    let exported = try await python(box, "read", ours)
    #expect(try wallets(exported) == wallets(Array(Self.covb.utf8)))
    #expect(try JSON(exported)["version"].number == 2)
    for file in [ours, theirs] {
      let again = try await box.keybackup(["wallet", "import", "--json", "--covb", file] + given)
        .json()
      #expect(again["imported"].number == 0 && again["unchanged"].number == 4)
    }
    // One wallet only; a name that is not there.
    let one = box.root + "/one.covb"
    try await box.keybackup(
      ["wallet", "export", "--covb", one, "--wallet", "Hot", "--new-password-file"]
        + [box.root + "/made"])
    #expect(Files.mode(box.root + "/made") == 0o600)
    try Files.remove(box.root + "/password")
    try Files.copy(box.root + "/made", to: box.root + "/password")
    let single = try JSON(await python(box, "read", one))
    #expect(single["wallets"].items.count == 1 && single["version"].number == 1)
    // If no file was made, no password is left; and no password goes to the cloud.
    for (place, code, says) in [(box.root, 66, "Nobody"), (box.folder, 73, "synced folder")] {
      let absent = try await box.keybackup(
        ["wallet", "export", "--covb", box.root + "/x", "--wallet", "Nobody"]
          + ["--new-password-file", place + "/x-password"], expecting: nil)
      expectFailure(absent, Int32(code), says: says)
      #expect(!Files.exists(box.root + "/x") && !Files.exists(place + "/x-password"))
    }
  }

  @Test func `What is all there is named`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let entries = PreparedBackup.ids.map { Samples.entry(id: $0, name: "Name of " + $0) }
    let again = try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    #expect(
      again.out == "Nothing new: 3 wallets are in the backup already: "
        + PreparedBackup.ids.map { "\"Name of \($0)\"" }.joined(separator: ", ") + ".\n")
    let words = ["--format", "mnemonic", "--name", "Mine", "--network", "bitcoin"]
    for says in ["Imported 1 wallet", "Nothing new: 1 wallet is in the backup already: \"Mine\"."] {
      let imported = try await box.keybackup(
        ["wallet", "import", "-"] + words, input: Array(Samples.mnemonic.utf8))
      #expect(imported.out.contains(says), "\(imported.out)")
    }
  }

  /// Two wallets of one name are kept, and the user is told how to distinguish them.
  @Test func `A name that another wallet has`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let added = try await box.keybackup(
      ["wallet", "add", "--name", "Name of first-wallet", "--network", "bitcoin", "--xpub", "-"],
      input: Array(Samples.xpub.utf8))
    #expect(
      added.err.contains(
        "another wallet has this name: \"Name of first-wallet\"; its ID is first-wallet"),
      "\(added.err)")
    // The command in the hint works.
    #expect(added.err.contains("keybackup wallet show ID --out FILE"), "\(added.err)")
    let (id, file) = (String(added.out.dropLast()), box.root + "/entry")
    try await box.keybackup(["wallet", "show", id, "--out", file])
    let entry = String(decoding: try Files.read(file), as: UTF8.self)
    let renamed = try await box.keybackup(
      ["wallet", "import", "-", "--json"],
      input: Array(entry.replacing("Name of first-wallet", with: "Another").utf8))
    #expect(try renamed.json()["same_name"].items.isEmpty)
    #expect(!renamed.err.contains("this name"), "\(renamed.err)")
    let shown = try await box.keybackup(["wallet", "show", "Another", "--json"]).json()
    #expect(shown["wallet"]["id"].text == id, "\(shown)")

    let imported = try await box.keybackup(
      ["wallet", "import", "-", "--json"],
      input: Array(Samples.entry(id: "fourth", name: "Another").utf8))
    #expect(try imported.json()["same_name"].items.map(\.text) == [id], "\(imported)")
    let words = try await box.keybackup(
      ["wallet", "import", "-", "--json", "--format", "mnemonic", "--name", "Name of third-wallet"]
        + ["--network", "bitcoin"], input: Array(Samples.mnemonic.utf8))
    #expect(try words.json()["same_name"].items.map(\.text) == ["third-wallet"], "\(words)")
  }

  /// The message names the option that takes this secret.
  @Test func `The option that takes it is named`() async throws {
    let backup = try await PreparedBackup()
    for (option, secret, right) in [
      ("--mnemonic", Samples.xprv, "--xprv"), ("--mnemonic", Samples.descriptor, "--descriptor"),
      ("--xprv", Samples.mnemonic, "--mnemonic"), ("--xprv", Samples.xpub, "--xpub"),
      ("--descriptor", Samples.xprv, "--xprv"),
    ] {
      let refused = try await backup.box.keybackup(
        ["wallet", "add", "--name", "N", "--network", "bitcoin", option, "-"],
        input: Array(secret.utf8), expecting: nil)
      expectFailure(refused, 65, says: "this is a", "takes it with \(right)")
    }
    let imported = try await backup.box.keybackup(
      ["wallet", "import", "-", "--format", "mnemonic", "--name", "N", "--network", "bitcoin"],
      input: Array(Samples.xprv.utf8), expecting: nil)
    expectFailure(imported, 65, says: "keybackup wallet add takes it with --xprv")
  }

  /// An old or watch-only file with the ID of a wallet does not replace its words.
  @Test func `An import replaces no secret unasked`() async throws {
    let box = try Sandbox()
    try Files.write(Self.password + "\n", to: box.root + "/password", mode: 0o600)
    let given = ["--json", "--password-file", box.root + "/password"]
    func file(_ name: String, _ content: String) async throws -> String {
      _ = try await python(box, "write", box.root + "/" + name, input: Array(content.utf8))
      return box.root + "/" + name
    }
    let first = try await file("first", Self.covb)
    // No secret, another one, the same one with another name; and a new wallet.
    let later = try await file(
      "later",
      Self.covb
        .replacing(#"{"Mnemonic":"\#(Samples.mnemonic)"}"#, with: #""None""#)
        .replacing(#"{"Xprv":"\#(Samples.xprv)"}"#, with: #"{"Mnemonic":"\#(Samples.mnemonic)"}"#)
        .replacing(#""name":"Card""#, with: #""name":"Renamed""#)
        .replacing(#""id":"watch""#, with: #""id":"new""#))
    try await box.keybackup(["init"])
    try await box.keybackup(["wallet", "import", "--covb", first] + given)
    let kept = try await box.keybackup(
      ["wallet", "import", "--covb", later] + given, expecting: 87)
    let json = try kept.json()
    #expect(json["imported"].number == 2 && json["replaced"].items.isEmpty, "\(kept.text)")
    #expect(json["record_ids"].items.count == 2)
    let problems = json["problems"].items.compactMap(\.text)
    #expect(problems.count == 2 && problems.allSatisfy { $0.contains("--replace") })
    #expect(problems.contains { $0.contains("Hot") && $0.contains("none") })
    #expect(problems.contains { $0.contains("Key") && $0.contains("another one") })
    let words = try await box.keybackup(
      ["wallet", "export", "hot", "--format", "mnemonic", "--reveal"], secrets: true)
    #expect(words.out == Samples.mnemonic + "\n")
    let replaced = try await box.keybackup(
      ["wallet", "import", "--replace", "--covb", later] + given)
    #expect(try replaced.json()["replaced"].items.count == 2)
    #expect(replaced.err.contains("Hot") && replaced.err.contains("replaced"))
    let listed = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
    #expect(listed.first { $0["id"].text == "hot" }?["kind"].text == "watch-only")
  }

  @Test func `Covb passwords are asked for twice`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let file = box.root + "/typed.covb"
    let typed = Self.password + "\n"
    try await box.keybackup(
      ["wallet", "export", "--covb", file],
      terminal: [
        .expect("Password of the .covb file"), .type(typed), .expect("same again"), .type(typed),
      ])
    let different = try await box.keybackup(
      ["wallet", "export", "--covb", box.root + "/other"],
      terminal: [
        .expect("Password of the .covb file"), .type(typed), .expect("same again"), .type("no\n"),
      ], expecting: nil)
    #expect(different.code == 65 && !Files.exists(box.root + "/other"))
    let made = try await box.keybackup(
      ["wallet", "export", "--generate-password", "--covb", box.root + "/made"], terminal: [])
    #expect(made.screen.contains("write it down"))
    // The key gets no request when the password cannot be right.
    let asked = try await box.traced {
      for (password, code) in [("x", 65 as Int32), ("another password altogether", 65)] {
        let wrong = try await box.keybackup(
          ["wallet", "import", "--covb", file, "--password-fd", "0"],
          input: Array(password.utf8), expecting: nil)
        expectFailure(wrong, code, says: "password")
      }
      let nobody = try await box.keybackup(
        ["wallet", "import", "--covb", file, "--no-input"], expecting: nil)
      expectFailure(nobody, 78, says: "--password-file")
      try Files.write(typed, to: box.root + "/open", mode: 0o644)
      let open = try await box.keybackup(
        ["wallet", "import", "--covb", file, "--password-file", box.root + "/open"],
        expecting: nil)
      expectFailure(open, 78, says: "chmod 600")
    }
    #expect(asked.isEmpty)
    let again = try await box.keybackup(
      ["wallet", "import", "--json", "--covb", file, "--password-fd", "0"],
      input: Array(typed.utf8)
    ).json()
    #expect(again["imported"].number == 0 && again["unchanged"].number == 3)
  }

  // MARK: Plain formats

  @Test func `A mnemonic goes out and comes back in every form`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let add = ["wallet", "add", "--name", "A", "--network", "bitcoin", "--mnemonic", "-"]
    let words = Array(Samples.mnemonic.utf8)
    let wrong = try await box.keybackup(
      add + ["--fingerprint", "00000000"], input: words, expecting: nil)
    expectFailure(wrong, 65, says: "73c5da0a", "--passphrase")
    try await box.keybackup(add, input: words)
    let listed = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(listed["wallets"][0]["fingerprint"].text == "73c5da0a")
    // BIP-39's own passphrase, for which Python's bip32 gives another wallet.
    let shown = try await box.keybackup(
      ["wallet", "show", "A", "--passphrase"],
      terminal: [.expect("passphrase"), .type("TREZOR\n")], standardOutput: .captured)
    #expect(shown.out.contains("b4e3f5ed"), "\(shown.out)")

    let export = ["wallet", "export", "A", "--format"]
    let printed = try await box.keybackup(export + ["mnemonic", "--reveal"], secrets: true)
    #expect(printed.out == Samples.mnemonic + "\n")
    let json = try await box.keybackup(
      export + ["mnemonic", "--reveal", "--json"], secrets: true
    ).json()
    #expect(json["content"].text == Samples.mnemonic + "\n")
    for (format, file, zbar) in [
      ("seedqr", "standard.png", ["--raw"]),
      ("compact-seedqr", "compact.png", ["--raw", "-Sbinary"]),
    ] {
      let path = box.root + "/" + file
      try await box.keybackup(export + [format, "--out", path])
      #expect(Files.mode(path) == 0o600)
      let scanned = try await box.run(["zbarimg", "-q"] + zbar + [path], key: nil)
      #expect(scanned.code == 0, "\(scanned.err)")
      var read = scanned.output
      // A line end, which is not in the code.
      if format == "compact-seedqr" { read = Array(read.prefix(16)) }
      try Files.write(read, to: path + ".read")
      let back = try await box.keybackup(
        ["wallet", "import", "--format", "seedqr", "--name", "B", "--network", "bitcoin", "--json"]
          + [path + ".read"]
      ).json()
      #expect(back["imported"].number == 0 && back["unchanged"].number == 1)
    }
    let descriptors = box.root + "/descriptors"
    try await box.keybackup(export + ["descriptors", "--out", descriptors])
    #expect(try JSON(Files.read(descriptors)).items.count == 8)
    for imported in [4, 0] {
      let core = try await box.keybackup(
        ["wallet", "import", "--format", "descriptors", "--name", "C", "--network", "bitcoin"]
          + ["--json", descriptors]
      ).json()
      #expect(core["imported"].number == imported)
    }
  }

  /// Words without their passphrase are another wallet, which is never exported without a warning.
  @Test func `A forgotten passphrase is noticed`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    try Files.write(Samples.mnemonic, to: box.root + "/words", mode: 0o600)
    let passphrase: [TerminalStep] = [.expect("passphrase"), .type("TREZOR\n")]
    let twice = passphrase + [.expect("same again"), .type("TREZOR\n")]
    try await box.keybackup(
      ["wallet", "add", "--name", "P", "--network", "bitcoin", "--passphrase"]
        + ["--mnemonic", box.root + "/words"], terminal: twice)
    let descriptors = ["wallet", "export", "P", "--format", "descriptors", "--reveal"]
    let other = try await box.keybackup(descriptors, expecting: nil)
    expectFailure(other, 65, says: "b4e3f5ed", "73c5da0a", "--passphrase")
    let right = try await box.keybackup(
      descriptors + ["--passphrase"], terminal: twice, standardOutput: .captured)
    #expect(right.out.contains("[b4e3f5ed/84'/0'/0']"), "\(right.out)")
    for format in ["mnemonic", "seedqr-digits"] {
      let out = try await box.keybackup(
        ["wallet", "export", "P", "--format", format, "--out", box.root + "/" + format])
      #expect(out.err.contains("b4e3f5ed") && out.err.contains("BIP-39 passphrase"), "\(out.err)")
    }
    let covb = try await box.keybackup(
      ["wallet", "export", "--covb", box.root + "/covb", "--json", "--new-password-file"]
        + [box.root + "/made"]
    ).json()
    #expect(covb["notes"].items.contains { $0.text?.contains("b4e3f5ed") == true })
    let shown = try await box.keybackup(["wallet", "show", "P"])
    #expect(
      shown.out.contains("FINGERPRINT  b4e3f5ed") && shown.out.contains("73c5da0a (differs"),
      "\(shown.out)")
    let matching = try await box.keybackup(
      ["wallet", "show", "P", "--passphrase", "--json"], terminal: passphrase,
      standardOutput: .captured
    ).json()
    #expect(matching["wallet"]["computed_fingerprint"].text == "b4e3f5ed")
    #expect(matching["wallet"]["fingerprint_matches"].flag == true)
  }

  @Test func `Labels are added to a wallet`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let none = try await box.keybackup(
      ["wallet", "export", "first-wallet", "--format", "labels", "--reveal"], expecting: nil)
    expectFailure(none, 66, says: "no labels")
    let add = ["wallet", "import", "--format", "labels", "--wallet", "first-wallet", "-", "--json"]
    for imported in [1, 0] {
      let outcome = try await box.keybackup(add, input: Array(Samples.labels.utf8)).json()
      #expect(outcome["imported"].number == imported && outcome["labels"].number == 2)
    }
    let out = try await box.keybackup(
      ["wallet", "export", "first-wallet", "--format", "labels", "--reveal"])
    #expect(out.out == Samples.labels)
  }

  /// Nothing leaves the backup by accident.
  @Test func `An export is asked for twice`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let export = ["wallet", "export", "first-wallet"]
    try Files.write("mine", to: box.root + "/taken")
    let asked = try await box.traced {
      for (arguments, code, says) in [
        ([], 64, "--format"), (["--format", "mnemonic"], 64, "--reveal"),
        (["--format", "mnemonic", "--out", "-"], 64, "--out"),
        (["--format", "mnemonic", "--out", box.root + "/taken"], 73, "never overwritten"),
        (["--format", "mnemonic", "--out", box.folder + "/leak"], 73, "synced folder"),
        (["--format", "mnemonic", "--private", "--reveal"], 64, "--private"),
        (["--format", "seedqr", "--reveal", "--json"], 64, "seedqr-digits"),
        (["--covb", box.root + "/x"], 64, "--wallet"),
      ] as [([String], Int32, String)] {
        let refused = try await box.keybackup(export + arguments, expecting: nil)
        #expect(refused.code == code && refused.text.contains(says), "\(arguments) \(refused.text)")
      }
    }
    #expect(asked.isEmpty)
    #expect(try Files.text(box.root + "/taken") == "mine")
  }

  /// Malicious or broken files end in a clear error, before a touch.
  @Test func `Hostile files cost no touch`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let made = ["--name", "N", "--network", "bitcoin"]
    let asked = try await box.traced {
      for (arguments, input, says) in [
        (["--covb", "-"], "COVB\u{4}", "not a .covb file"),
        (["--covb", "-"], "COVB\u{9}" + String(repeating: "x", count: 80), "version 9"),
        (["--covb", "-"], "", "not a .covb file"),
        (["--format", "descriptors", "-"] + made, String(repeating: "[", count: 9000), "neither"),
        (["--format", "descriptors", "-"] + made, #"[{"desc":"wpkh("}]"#, "descriptor 1"),
        (
          ["--format", "descriptors", "-"] + made, String(repeating: " ", count: 2 << 20), "larger"
        ),
        (["--format", "seedqr", "-"] + made, String(repeating: "7", count: 48), "SeedQR"),
        (["--format", "mnemonic", "-"] + made, "abandon", "12, 15, 18"),
        (["--format", "labels", "--wallet", "first-wallet", "-"], "{}", "line 1"),
      ] {
        let refused = try await box.keybackup(
          ["wallet", "import"] + arguments, input: Array(input.utf8), expecting: nil)
        expectFailure(refused, 65, says: says)
      }
    }
    #expect(asked.isEmpty)
  }
}

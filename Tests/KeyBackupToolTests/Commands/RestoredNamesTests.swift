import Testing

/// Tests how a user learns which restored file is which wallet, and how to use it.
@Suite struct RestoredNamesTests {
  /// The names and bytes of the contract stay; the result tells whose they are.
  @Test func `The result tells which file is which`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let json = try await box.keybackup(
      ["restore", "--json", "--out", box.root + "/out"], secrets: true
    ).json()
    let files = json["files"].items
    #expect(files.compactMap { $0["name"].text } == PreparedBackup.ids.map { "Name of " + $0 })
    for file in files {
      let record = try #require(file["record_id"].text)
      #expect(file["file"].text == "wallet-\(record).json" && file["kind"].text == "mnemonic")
      let entry = try JSON(Files.read(box.root + "/out/wallet-\(record).json"))
      #expect(entry["metadata"]["name"].text == file["name"].text)
    }
    // Nothing else is in the folder: scripts list it.
    #expect(Files.tree(box.root + "/out").count == 3)
    let text = try await box.keybackup(["restore", "--out", box.root + "/again"])
    let named = text.err.split(separator: "\n").first { $0.hasPrefix("Name of first-wallet ") }
    #expect(named?.hasSuffix(try #require(files[0]["file"].text)) == true, "\(text.err)")
    #expect(text.err.contains("\nmnemonic: in a wallet program choose to restore"), "\(text.err)")
    #expect(text.err.contains("unencrypted wallet secrets"), "\(text.err)")
    let listed = try await box.keybackup(["restore", "--json"]).json()
    #expect(listed["files"].items.isEmpty)
  }

  /// Names as other programs and strangers write them.
  static let names: [(name: String, file: String)] = [
    ("Savings", "Savings"), ("my  old wallet!", "my-old-wallet"), ("", "wallet"),
    ("../../etc/passwd", "etc-passwd"), (".hidden", "hidden"), ("-rf", "rf"), ("/", "wallet"),
    ("K\u{e4}se \u{4e91}", "K\u{e4}se-\u{4e91}"), ("a\u{202E}nosj.b", "a-nosj-b"),
    ("$(reboot)`x`", "reboot-x"), ("two\nlines\u{1B}[31m", "two-lines-31m"),
    (
      String(repeating: "long ", count: 100),
      String(repeating: "long-", count: 15) + "long"
    ),
  ]

  @Test func `Files are named by their wallets`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    var entries = Self.names.enumerated().map { index, name in
      Samples.entry(id: "id-\(index)", name: Self.escaped(name.name))
    }
    entries.append(Samples.entry(id: "twin", name: "Savings"))
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    let out = box.root + "/out"
    let json = try await box.keybackup(["restore", "--json", "--names", "--out", out]).json()
    let files = json["files"].items
    #expect(files.count == Self.names.count + 1)
    for (index, expected) in Self.names.enumerated() {
      let id = "id-\(index)"
      let file = try #require(
        try files.first { file in
          let path = out + "/" + (file["file"].text ?? "")
          return try JSON(Files.read(path))["wallet_id"].text == id
        })
      let record = try #require(file["record_id"].text).prefix(16)
      #expect(file["file"].text == "\(expected.file)-\(record).json")
      #expect(Files.mode(out + "/" + (file["file"].text ?? "")) == 0o600)
    }
    // Everything is in the folder itself, and nothing beside it.
    #expect(
      Set(Files.tree(out)) == Set(files.compactMap { $0["file"].text } + ["README.txt"]))
    let readme = try Files.text(out + "/README.txt")
    for file in files { #expect(readme.contains(file["file"].text ?? "?"), "\(readme)") }
    #expect(readme.contains("mnemonic: in a wallet program choose"), "\(readme)")
    for secret in Samples.secrets { #expect(!readme.contains(secret)) }
    #expect(!readme.contains("\u{1B}") && !readme.contains("\u{202E}"))
    // A repeated restore finds its own files.
    let whole = try Files.contents(out)
    let again = try await box.keybackup(["restore", "--names", "--out", out])
    #expect(try Files.contents(out) == whole)
    #expect(!again.err.contains("already"), "\(again.err)")
  }

  /// No file is overwritten, and a missing explanation is no error.
  @Test func `What is there already stays`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let out = box.root + "/out"
    try Files.makeFolder(out)
    try Files.write("mine", to: out + "/README.txt")
    let restored = try await box.keybackup(["restore", "--names", "--out", out])
    #expect(restored.err.contains("README.txt was there already"), "\(restored.err)")
    #expect(try Files.text(out + "/README.txt") == "mine")
    let wallet = try #require(Files.tree(out).first { $0.hasPrefix("Name-of-first") })
    try Files.write("mine too", to: out + "/" + wallet)
    let refused = try await box.keybackup(["restore", "--names", "--out", out], expecting: nil)
    expectFailure(refused, 73, says: wallet)
    #expect(try Files.text(out + "/" + wallet) == "mine too")
  }

  /// A computer's name is the name of the folder with its files.
  @Test func `A computer called README.txt keeps nothing back`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer(label: "README.txt")
    try await computers.serverAdds("one")
    let out = computers.target()
    let json = try await computers.laptop(["restore", "--names", "--json", "--out", out]).json()
    let file = try #require(json["stored_files"].items.first)
    let path = try #require(file["file"].text)
    #expect(json["restored_files"].number == 1 && json["failed_files"].items.isEmpty, "\(json)")
    #expect(path.hasPrefix("README.") && file["renamed"].flag == true, "\(path)")
    #expect(try Files.text(out + "/" + path) == "one")
    #expect(try Files.text(out + "/README.txt").contains("mnemonic: in a wallet program choose"))
    let again = try await computers.laptop(["restore", "--names", "--out", out])
    #expect(again.err.contains("README.txt/channel.backup"), "\(again.err)")
    #expect(Files.tree(out).count == PreparedBackup.ids.count + 2, "\(Files.tree(out))")
  }

  /// There is a line for each kind that is present, and docs/wallets.md says the same.
  @Test func `Every kind is explained`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let bitcoin = ["--network", "bitcoin"]
    for (option, value) in [
      ("--mnemonic", Samples.mnemonic), ("--xprv", Samples.xprv), ("--xpub", Samples.xpub),
    ] {
      try await box.keybackup(
        ["wallet", "add", "--name", "With \(option)"] + bitcoin + [option, "-"],
        input: Array(value.utf8))
    }
    let restored = try await box.keybackup(["restore", "--out", box.root + "/out"])
    let lines = restored.err.split(separator: "\n").map(String.init)
    let docs = try Files.text(Build.root + "/docs/wallets.md")
    for kind in ["mnemonic", "xprv", "watch-only"] {
      let line = try #require(lines.first { $0.hasPrefix(kind + ": ") }, "\(restored.err)")
      #expect(docs.contains("| \(kind) | \(line.dropFirst(kind.count + 2)) |"), "\(line)")
    }
    #expect(!lines.contains { $0.hasPrefix("tapsigner: ") })
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      let hexadecimal = String(scalar.value, radix: 16)
      return scalar.value >= 32 && scalar.value < 127 && scalar != "\"" && scalar != "\\"
        ? String(scalar)
        : "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
    }.joined()
  }
}

import Testing

/// Texts of other programs, as people and these programs hand them over.
@Suite struct ForeignTextTests {
  private static let made = ["--name", "N", "--network", "bitcoin"]

  @Test func `A later label does not thaw a coin, and what is left out is told`() async throws {
    let own = try OwnWorld(try await PreparedBackup().box)
    let add = ["wallet", "import", "--format", "labels", "--wallet", "first-wallet", "--json", "-"]
    let coin = #"{"type":"output","ref":"ab:0","label":"cold""#
    try await own.run(add, input: coin + #","spendable":false}"#)
    let unknown = try await own.run(
      add, input: #"{"type":"account","ref":"x"}"# + "\n" + coin + "}\n")
    let json = try unknown.json()
    #expect(json["imported"].number == 0 && json["unknown_types"].number == 1)
    #expect(json["damaged_lines"].number == 0 && unknown.err.contains("line 1"), "\(unknown.text)")
    let damaged = try await own.run(
      add, input: "\u{FEFF}" + coin.replacing("cold", with: "cold 2") + "}\nbroken\n{}\n",
      expecting: 87)
    #expect(try damaged.json()["damaged_lines"].number == 2, "\(damaged.text)")
    #expect(damaged.err.contains("line 2"), "\(damaged.text)")
    // An old line that this version does not know stays where new ones come.
    let out = try await own.run([
      "wallet", "export", "first-wallet", "--format", "labels", "--reveal",
    ])
    #expect(
      out.out == coin.replacing("cold", with: "cold 2") + #","spendable":false}"# + "\n",
      "\(out.text)")
    let none = try await own.run(add, input: "{}", expecting: 65)
    #expect(none.text.contains("line 1"))

    let labels = own.box.root + "/labels"
    try Files.write(coin + "}\nbroken\n", to: labels)
    let added = try await own.run(
      ["wallet", "add", "--xpub", "-", "--labels", labels] + Self.made, input: Samples.xpub,
      expecting: 87)
    #expect(added.err.contains("line 2"), "\(added.text)")
  }

  @Test func `Lines of a label file about the same are one, also for a new wallet`() async throws {
    let own = try OwnWorld(try await PreparedBackup().box)
    let labels = own.box.root + "/labels"
    let coin = #"{"type":"output","ref":"ab:0","label":"cold""#
    let lines = [
      coin + #","spendable":false}"#, #"{"type":"account","ref":"x"}"#,
      coin.replacing("cold", with: "cold 2") + "}",
    ]
    try Files.write(lines.joined(separator: "\n"), to: labels)
    let added = try await own.run(
      ["wallet", "add", "--xpub", "-", "--labels", labels, "--id", "new", "--json"] + Self.made,
      input: Samples.xpub
    ).json()
    #expect(added["unknown_types"].number == 1 && added["damaged_lines"].number == 0)
    let out = try await own.run(["wallet", "export", "new", "--format", "labels", "--reveal"])
    #expect(out.out == coin.replacing("cold", with: "cold 2") + #","spendable":false}"# + "\n")
    let add = ["wallet", "import", "--format", "labels", "--wallet", "first-wallet", "--json", "-"]
    let done = try await own.run(add, input: lines[0]).json()
    #expect(done["record_ids"].items.map(\.text) == [done["record_id"].text])
    let unknown = try await own.run(add, input: lines[1], expecting: 65)
    #expect(unknown.text.contains("of a type that BIP-329 does not define"), "\(unknown.text)")
  }

  @Test func `What is given in another one's place is named`() async throws {
    let own = try OwnWorld(try Sandbox())
    let wif = "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn"
    let nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
    let label = #"{"type":"tx","ref":"aa","label":"rent"}"#
    for (text, name, advice) in [
      (wif, "WIF", "--descriptor"), (nsec, "nsec", "file add FILE"), (label, "BIP-329", "--labels"),
      (String(repeating: "0000", count: 11) + "0003", "SeedQR", "--format seedqr"),
      ("COVB\u{4}x", ".covb", "--covb"),
    ] {
      for command in [
        ["wallet", "add", "--mnemonic", "-"] + Self.made,
        ["wallet", "add", "--descriptor", "-"] + Self.made, ["wallet", "import", "-"],
      ] {
        let refused = try await own.run(command, input: text, expecting: 65)
        #expect(refused.err.contains(name) && refused.err.contains(advice), "\(refused.text)")
      }
    }
    let entry = Samples.entry(id: "a", name: "A")
    let refused = try await own.run(
      ["wallet", "add", "--descriptor", "-"] + Self.made, input: entry, expecting: 65)
    #expect(refused.err.contains("keybackup wallet import FILE takes it"), "\(refused.text)")
    let numbered = try await own.run(
      ["wallet", "add", "--mnemonic", "-"] + Self.made, input: "1. abandon\n2. about", expecting: 65
    )
    #expect(numbered.err.contains("no numbers"), "\(numbered.text)")
  }

  @Test func `Entries are read over lines, with a mark and in UTF-16`() async throws {
    let own = try OwnWorld(try await PreparedBackup().box)
    let path = own.box.root + "/entries"
    for (number, write)
      in ([
        { text in Array(text.replacing(",\"", with: ",\n  \"").utf8) },
        { text in Array(("\u{FEFF}" + text).utf8) },
        { text in text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } },
      ] as [(String) -> [UInt8]]).enumerated()
    {
      let entries = (0..<2).map { Samples.entry(id: "id-\(number)-\($0)", name: "{\\\"") }
      try Files.write(write(entries.joined(separator: "\n")), to: path, mode: 0o600)
      let done = try await own.run(["wallet", "import", "--json", path]).json()
      #expect(done["imported"].number == 2, "\(done)")
    }
    try Files.write(Samples.entry(id: "a", name: "A").dropLast() + "\n", to: path, mode: 0o600)
    let cut = try await own.run(["wallet", "import", path], expecting: 65)
    #expect(cut.err.contains("line 1"), "\(cut.text)")
  }

  @Test func `Words that are an Electrum seed too are told to be`() async throws {
    let own = try OwnWorld(try await PreparedBackup().box)
    // Found by trying: BIP-39's checksum, and the version of Electrum's seeds with segwit.
    let both = "twenty desert work indoor picnic method valve bulb shrug february nest atom"
    let added = try await own.run(["wallet", "add", "--mnemonic", "-"] + Self.made, input: both)
    #expect(added.err.contains("an Electrum seed, too"), "\(added.text)")
    let other = try await own.run(
      ["wallet", "add", "--mnemonic", "-"] + Self.made, input: Samples.otherMnemonic)
    #expect(!other.err.contains("Electrum"), "\(other.text)")
  }

  @Test func `A seed of another kind is named, also where nothing was asked for it`() async throws {
    let own = try OwnWorld(try Sandbox())
    let electrum =
      "wild father tree among universe such mobile favorite target dynamic credit identify"
    let codex32 = "ms10testsxxxxxxxxxxxxxxxxxxxxxxxxxx4nzvca9cmczlw"
    for (seed, name) in [(electrum, "Electrum"), (codex32, "codex32")] {
      for command in [
        ["wallet", "add", "--mnemonic", "-"] + Self.made,
        ["wallet", "add", "--xprv", "-"] + Self.made,
        ["wallet", "import", "--format", "mnemonic", "-"] + Self.made,
        ["wallet", "import", "-"],
      ] {
        let refused = try await own.run(command, input: seed, expecting: 65)
        #expect(refused.err.contains("this is ") && refused.err.contains(name), "\(refused.text)")
        #expect(!refused.text.contains("checksum"), "\(refused.text)")
      }
    }
    for (count, name) in [(25, "Monero"), (20, "SLIP-39")] {
      let words = Array(repeating: "zoo", count: count).joined(separator: " ")
      let refused = try await own.run(
        ["wallet", "add", "--mnemonic", "-"] + Self.made, input: words, expecting: 65)
      #expect(refused.err.contains("look like a \(name)"), "\(refused.text)")
    }
  }

  @Test func `Descriptors in a text are one wallet, or named`() async throws {
    let own = try OwnWorld(try await PreparedBackup().box)
    let receive = Samples.descriptor
    let change = receive.replacing("/0/*", with: "/1/*")
    let text = "# Receive\n\(receive)\n\n# Change\n\(change)\n"
    let add = ["wallet", "add", "--json", "--descriptor", "-"] + Self.made
    let added = try await own.run(add, input: text).json()
    #expect(added["spending"].text == "watch-only")
    // The same wallet by the other command.
    let again = try await own.run(
      ["wallet", "import", "--json", "--format", "descriptors", "-"] + Self.made, input: text
    ).json()
    #expect(again["imported"].number == 0 && again["unchanged"].number == 1)
    let two = try await own.run(
      add, input: receive + "\n" + receive.replacing("/0/*", with: "/7/*"), expecting: 65)
    #expect(two.text.contains("2 wallets") && two.text.contains("--format descriptors"))
    let plain = try await own.run(["wallet", "import", "-"], input: receive, expecting: 65)
    #expect(plain.err.contains("--descriptor"), "\(plain.text)")
    let key = "[d34db33f/84h/0h/0h]\(Samples.xpub)"
    let alone = try await own.run(
      ["wallet", "add", "--xpub", "-"] + Self.made, input: key, expecting: 65)
    #expect(alone.err.contains("without [...]"), "\(alone.text)")
    for (input, words) in [
      (key, "--xpub"), (receive + "#qqqqqqqq", "copy it again"),
      (receive + "#", "8 characters"),
    ] {
      let refused = try await own.run(add, input: input, expecting: 65)
      #expect(refused.text.contains(words), "\(refused.text)")
    }
  }

  @Test func `A recovery code is read as it was noted`() async throws {
    let kit = try await PreparedKit()
    let groups = kit.code.split(separator: "-")
    for text in [
      groups.joined(separator: "\n") + "\n", groups.joined(separator: "\u{2013}\r\n"),
      kit.code + "\nnoted on Sunday\n",
    ] {
      try Files.write(text, to: kit.codeFile, mode: 0o600)
      _ = try await kit.alone(["verify", "--deep"] + kit.opening)
    }
    try Files.write(groups[0] + "\n", to: kit.codeFile, mode: 0o600)
    let short = try await kit.alone(["verify", "--deep"] + kit.opening, expecting: 65)
    #expect(short.err.contains("this has 4") && short.err.contains("one line"), "\(short.text)")
  }

  @Test func `Nostr keys are read as apps copy them`() async throws {
    let own = try OwnWorld(try Sandbox())
    let npub = "npub1cqk8x83njlamgdv2f94ukpqq47pdcvwngax2qz5d627s8w27uwesvug0ra"
    let digits = try await own.run(["nostr", "decode", npub], pin: false).out
    for text in ["nostr:" + npub, "@" + npub] {
      #expect(try await own.run(["nostr", "decode", text], pin: false).out == digits)
    }
    let encrypted = try await own.run(
      ["nostr", "validate", "-"], pin: false,
      input: "ncryptsec1" + String(repeating: "q", count: 150), expecting: 65)
    #expect(encrypted.err.contains("NIP-49"), "\(encrypted.text)")
  }
}

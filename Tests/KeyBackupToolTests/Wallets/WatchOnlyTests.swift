import Testing

/// A backup of public keys is not mistaken for one of money.
@Suite struct WatchOnlyTests {
  private static let privateDescriptor = "wpkh(\(Samples.xprv)/84h/0h/0h/0/*)"
  private static let partly = "wsh(multi(1,\(Samples.xprv)/0/*,\(Samples.xpub)/1/*))"
  private static let descriptors =
    ["wallet", "import", "-", "--format", "descriptors"]
    + ["--name", "Core", "--network", "bitcoin"]

  private func list(_ descriptors: [String]) -> [UInt8] {
    let items = descriptors.map { #"{"desc":"\#($0)","timestamp":0,"active":true}"# }
    return Array(#"{"wallet_name":"w","descriptors":[\#(items.joined(separator: ","))]}"#.utf8)
  }

  /// The output of `bitcoin-cli listdescriptors` without `true`.
  @Test func `Public descriptors are said to be`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let told = try await box.keybackup(Self.descriptors, input: list([Samples.descriptor]))
    #expect(
      told.err.contains("watch-only") && told.err.contains("listdescriptors true"), "\(told.text)")
    let other = Samples.descriptor.replacing("/0/*", with: "/7/*")
    let json = try await box.keybackup(Self.descriptors + ["--json"], input: list([other])).json()
    #expect(json["watch_only"].number == 1 && json["imported"].number == 1)
    let secret = try await box.keybackup(
      Self.descriptors, input: list([Self.privateDescriptor]))
    #expect(!secret.err.contains("watch-only"), "\(secret.err)")
    let some = try await box.keybackup(Self.descriptors, input: list([Self.partly]))
    #expect(some.err.contains("only some of the keys"), "\(some.err)")

    let rows = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
    let core = rows.filter { $0["name"].text == "Core" }
    #expect(core.allSatisfy { $0["kind"].text == "descriptor" })
    #expect(
      core.compactMap { $0["spending"].text }.sorted()
        == ["full", "partly", "watch-only", "watch-only"])
    #expect(core.count { $0["watch_only"].flag == true } == 2)
    #expect(rows.count { $0["spending"].text == "full" } == 4)
    for command in [["wallet", "list"], ["restore"]] {
      let table = try await box.keybackup(command)
      let lines = table.out.split(separator: "\n").filter { $0.hasPrefix("Core") }
      #expect(lines.count { $0.contains(" watch-only ") } == 2, "\(table.out)")
      #expect(lines.count { $0.contains(" descriptor (partly) ") } == 1, "\(table.out)")
      #expect(table.err.contains("2 wallets are watch-only"), "\(table.err)")
    }
    let restored = try await box.keybackup(["restore", "--json"]).json()
    #expect(restored["watch_only"].number == 2)
    let deep = try await box.keybackup(["verify", "--deep", "--json"]).json()
    #expect(deep["watch_only"].number == 2)
    let id = core.first { $0["watch_only"].flag == true }?["id"].text ?? ""
    let shown = try await box.keybackup(["wallet", "show", id])
    #expect(shown.out.contains("KIND         watch-only"), "\(shown.out)")
    let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(status.out.contains("2 watch-only"), "\(status.out)")
  }

  // MARK: What is added

  private func add(_ box: Sandbox, _ options: [String], _ secret: String) async throws -> Outcome {
    try await box.keybackup(
      ["wallet", "add", "--name", "New", "--network", "bitcoin"] + options,
      input: Array(secret.utf8))
  }

  @Test func `The fingerprint is shown and the same wallet named`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let first = try await add(box, ["--mnemonic", "-"], Samples.mnemonic)
    #expect(first.err.contains("Master fingerprint 73c5da0a"), "\(first.err)")
    #expect(!first.err.contains("in the backup has the same"), "\(first.err)")
    let id = first.out.split(separator: "\n").first.map(String.init) ?? ""
    let again = try await add(box, ["--mnemonic", "-"], Samples.mnemonic)
    #expect(
      again.err.contains("\"New\" in the backup has the same secret"), "\(again.err)")
    #expect(again.err.contains(id.prefix(8)), "\(again.err)")
    let json = try await add(box, ["--json", "--mnemonic", "-"], Samples.mnemonic).json()
    #expect(json["same_as"].items.count == 2 && json["fingerprint"].text == "73c5da0a")
    #expect(json["watch_only"].flag == false && json["spending"].text == "full")
    // Three of one mnemonic without a fingerprint are in the prepared backup.
    let known = try await add(box, ["--json", "--mnemonic", "-"], Samples.otherMnemonic).json()
    #expect(
      Set(known["same_as"].items.compactMap(\.text)) == Set(PreparedBackup.ids), "\(known)")
    // Another network is another wallet.
    let elsewhere = try await box.keybackup(
      ["wallet", "add", "--name", "T", "--network", "testnet", "--json", "--mnemonic", "-"],
      input: Array(Samples.mnemonic.utf8)
    ).json()
    #expect(elsewhere["same_as"].items.isEmpty)
  }

  /// The same words with a passphrase are another wallet, with its own fingerprint.
  @Test func `A passphrase makes another wallet`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    _ = try await add(box, ["--mnemonic", "-"], Samples.mnemonic)
    try Files.write(Samples.mnemonic, to: box.root + "/words")
    let added = try await box.keybackup(
      ["wallet", "add", "--name", "Hidden", "--network", "bitcoin", "--passphrase"]
        + ["--mnemonic", box.root + "/words"],
      terminal: [
        .expect("BIP-39 passphrase (hidden): "), .type("TREZOR\n"), .expect("The same again: "),
        .type("TREZOR\n"),
      ])
    let text = added.screen + added.err
    #expect(text.contains("Master fingerprint b4e3f5ed, of these words with this passphrase"))
    #expect(!text.contains("in the backup has the same"), "\(text)")
  }
}

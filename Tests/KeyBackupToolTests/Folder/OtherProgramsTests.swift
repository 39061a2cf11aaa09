import Testing

/// Folders travel between `keybackup` and programs that were written without
/// its code.
@Suite struct OtherProgramsTests {
  @Test func `An independent reader opens what we write`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(
      ["wallet", "add", "--name", "Xprv", "--network", "bitcoin", "--xprv", "-"],
      input: Array(Samples.xprv.utf8))
    try Files.write(Samples.labels, to: box.root + "/labels")
    try await box.keybackup(
      [
        "wallet", "add", "--name", "Labelled", "--network", "bitcoin", "--xpub", "-", "--labels",
        box.root + "/labels",
      ], input: Array(Samples.xpub.utf8))
    try await box.keybackup(["restore", "--out", box.root + "/ours"])

    let secret = try await backup.prfOutput()
    for slot in ["current", "CSPP alone"] {
      if slot == "CSPP alone" { try Files.remove(backup.place + "/keybackup") }
      let status = try await box.keybackup(
        ["status", "--json"], key: ["--no-key"], pin: .none, expecting: nil
      ).json()
      let theirs = box.root + "/theirs-" + slot
      let read = try await box.run(
        Python.script("reader/cspp_reader.py")
          + [box.folder, "--prf-output", secret, "--dump", theirs], key: nil)
      #expect(read.code == 0, "\(read.text)")
      #expect(try Files.contents(theirs) == Files.contents(box.root + "/ours"))
      #expect(Files.tree(theirs).count == 5)
      let word = try JSON(read.output)["freshness"].text
      #expect(word == status["freshness"].text && (word == "") == (slot == "CSPP alone"))
    }
  }

  @Test(arguments: [
    ["--layout", "current"], ["--layout", "older"], ["--keybackup"],
  ])
  func `What another program writes is restored`(_ layout: [String]) async throws {
    let box = try Sandbox()
    let rpID = layout == ["--keybackup"] ? "keybackup:" : "wallet.example"
    // A credential of this key, made and evaluated without our code.
    let made = try await box.run(
      Python.script("interop/python_fido2.py")
        + ["register", "--rp-id", rpID, "--pin", Sandbox.pin, "--discoverable"])
    let credential = bytes(hex: try #require(try JSON(made.output)["credential_id"].text))
    let salt = [UInt8](repeating: 0x5A, count: 32)
    let secret = try await box.pythonFIDO2(rpID: rpID, credential: credential, inputs: [salt])
    let entries =
      "["
      + ["a", "b", "c"].map { Samples.entry(id: $0, name: $0) }
      .joined(separator: ",") + "]"
    try Files.write(entries, to: box.root + "/entries.json")
    let written = try await box.run(
      Python.script("reader/cspp_writer.py")
        + [
          box.folder, "--prf-output", secret[0], "--prf-salt", hex(salt), "--entries",
          box.root + "/entries.json", "--rp-id", rpID, "--credential-id", hex(credential),
        ] + layout, key: nil)
    #expect(written.code == 0, "\(written.text)")

    let out = box.root + "/out"
    try await box.keybackup(["restore", "--rp-id", rpID, "--out", out])
    try expectEntries(try JSON(written.output)["wallets"].items, in: out)
    if rpID != "keybackup:" {
      let unnamed = try await box.keybackup(["restore"], expecting: nil)
      expectFailure(unnamed, 80, says: "--rp-id")
    }
    try await box.keybackup(["verify", "--deep", "--rp-id", rpID])
    // Wallets can be added to it, and it stays readable for the other program.
    try await box.keybackup(
      ["wallet", "import", "-", "--rp-id", rpID],
      input: Array(Samples.entry(id: "d", name: "d").utf8))
    let read = try await box.run(
      Python.script("reader/cspp_reader.py")
        + [box.folder, "--prf-output", secret[0], "--dump", box.root + "/theirs"], key: nil)
    #expect(read.code == 0, "\(read.text)")
    #expect(Files.tree(box.root + "/theirs").count == 4)
  }

  @Test(arguments: ["namespace-current", "namespace-legacy-layout"])
  func `Published folders are restored`(_ name: String) async throws {
    let box = try Sandbox()
    let vectors = Build.root + "/Tests/Vectors/cspp/" + name
    let description = try JSON(Files.read(vectors + ".json"))
    let rpID = try #require(description["rp_id"].text)
    try Files.remove(box.folder)
    try Files.copy(vectors, to: box.folder)
    let key = ["--import-credential", vectors + ".json"]
    let before = try Files.contents(box.folder)
    let out = box.root + "/out"
    let outcome = try await box.keybackup(
      ["restore", "--rp-id", rpID, "--out", out, "--json"], key: key)
    let wallets = description["wallets"].items
    #expect(try outcome.json()["restored"].number == wallets.count)
    #expect(wallets.count >= 9)
    try expectEntries(wallets, in: out)
    let verified = try await box.keybackup(
      ["verify", "--deep", "--json", "--rp-id", rpID], key: key)
    #expect(try verified.json()["wallets"]["foreign"].number == wallets.count)
    #expect(try Files.contents(box.folder) == before)
  }

  private func expectEntries(_ wallets: [JSON], in out: String) throws {
    #expect(Files.tree(out).count == wallets.count)
    for wallet in wallets {
      let name = wallet["file"].text ?? "wallet-\(wallet["record_id"].text ?? "").json"
      let entry = bytes(base64: try #require(wallet["entry_base64"].text))
      #expect(try Files.read(out + "/" + name) == entry)
    }
  }

  /// The PRF output for the backup's salt, by python-fido2.
}

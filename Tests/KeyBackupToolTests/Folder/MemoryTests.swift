import Testing

/// The local state of a computer: where its backup is, and what it has seen there.
@Suite struct MemoryTests {
  @Test func `Init remembers the folder`() async throws {
    let box = try Sandbox()
    let unnamed = ["KEYBACKUP_FOLDER": ""]
    try await box.keybackup(["init", box.folder], environment: unnamed)
    let status = try await box.keybackup(
      ["status", "--json"], pin: .none, environment: unnamed, expecting: 88)
    #expect(try status.json()["namespace_id"].text?.count == 32)
    // Another computer knows nothing of it.
    let elsewhere = try await box.keybackup(
      ["status"], pin: .none, home: box.root + "/tmp", environment: unnamed, expecting: nil)
    #expect(elsewhere.code != 88 && elsewhere.code != 0)
  }

  @Test func `Who adds a file to a folder that was moved is told what to run`() async throws {
    let box = try Sandbox()
    let unnamed = ["KEYBACKUP_FOLDER": ""]
    try await box.keybackup(["init", box.folder], environment: unnamed)
    try Files.move(box.folder, to: box.root + "/moved")
    try Files.write("letter", to: box.root + "/letter.txt")
    let outcome = try await box.keybackup(
      ["file", "add", box.root + "/letter.txt"], environment: unnamed, expecting: nil)
    expectFailure(outcome, 66, says: "if it was moved, run this", "keybackup.conf")
  }

  @Test func `An older state of the folder is a rollback`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await backup.rollBackAnImport()
    let restored = try await box.keybackup(["restore"], expecting: 89)
    #expect(restored.err.contains("older than what this computer has seen"))
    #expect(restored.out.contains("Name of first-wallet"), "what is there is restored")
    // Status knows the command that accepts it, with the right ID.
    #expect(restored.err.contains("keybackup status"), "\(restored.err)")
    #expect(!restored.err.contains("--accept"), "\(restored.err)")
    try await box.keybackup(["verify", "--deep"], expecting: 89)
    for command in ["status", "verify"] {
      let keyless = try await box.keybackup(
        [command], key: ["--no-key"], pin: .none, expecting: 89)
      #expect(keyless.out.contains("older than what this computer has seen"))
    }
    // A computer without a local state cannot know, and says so.
    let fresh = try await box.keybackup(
      ["verify", "--deep", "--json"], home: box.root + "/tmp")
    #expect(try fresh.json()["known"].flag == false)
    // The word belongs to the computer that wrote it, and needs no key.
    let word = try #require(try fresh.json()["freshness"].text)
    let here = try await box.keybackup(
      ["status", "--json"], key: ["--no-key"], pin: .none, expecting: nil)
    #expect(try here.json()["freshness"].text == word && !word.isEmpty)
    let elsewhere = try await box.keybackup(
      ["status"], key: ["--no-key"], pin: .none, home: box.root + "/none", expecting: 88)
    #expect(elsewhere.out.replacing("-", with: "").contains(word), "\(elsewhere.out)")
    #expect(elsewhere.out.contains("(not checked: this computer"), "\(elsewhere.out)")
  }

  @Test func `A test copy that was deleted is named, and can be accepted`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let test = box.root + "/test"
    try Files.copy(box.folder, to: test)
    try await box.keybackup(
      ["wallet", "import", "-", "--folder", test],
      input: Array(Samples.entry(id: "try", name: "Try").utf8))
    try Files.remove(test)
    let told = try await box.keybackup(["restore"], expecting: 89)
    #expect(told.err.contains(test) && told.err.contains("is gone"), "\(told.err)")
    try await box.keybackup(
      ["status", "--accept", "--yes"], key: ["--no-key"], pin: .none, expecting: nil)
    try await box.keybackup(["restore"])
  }

  /// A person moves the folder to another sync program, which brings an older copy.
  @Test func `An older copy at another path is a rollback, and a second copy in use is named`()
    async throws
  {
    let backup = try await PreparedBackup()
    let box = backup.box
    let (test, moved) = (box.root + "/test", box.root + "/moved")
    try Files.copy(box.folder, to: test)
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "later", name: "Later").utf8))
    // Two copies in use: the one of the test is older.
    let second = try await box.keybackup(["restore", "--folder", test], expecting: 89)
    #expect(
      second.err.contains(
        "the copy of this backup in \(box.folder) has 1 change that this one lacks"),
      "\(second.text)")
    try await box.keybackup(["restore"])
    try await box.keybackup(
      ["wallet", "import", "-", "--folder", test],
      input: Array(Samples.entry(id: "try", name: "Try").utf8))
    let real = try await box.keybackup(["restore", "--json"]).json()
    #expect(real["copies"][0]["path"].text == test && real["copies"][0]["operations"].number == 1)
    try Files.move(test, to: moved)
    try Files.remove(box.folder)
    let restored = try await box.keybackup(["restore", "--folder", moved], expecting: 89)
    #expect(restored.err.contains("older than what this computer has seen"), "\(restored.text)")
    #expect(!restored.err.contains("first time"), "\(restored.text)")
    try await box.keybackup(
      ["status", "--folder", moved], key: ["--no-key"], pin: .none, expecting: 89)
  }

  @Test func `A backup that is gone is not no backup`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["init", "--json"]).json()
    let id = try #require(made["namespace_id"].text)
    try Files.remove(box.folder + "/cspp-namespaces")
    let outcome = try await box.keybackup(["restore"], expecting: nil)
    expectFailure(outcome, 89, says: "is gone", id)
    let json = try await box.keybackup(["status", "--json"], pin: .none, expecting: nil)
    try expectFailure(json, 89, word: "rollback")
    let fresh = try await box.keybackup(["restore"], home: box.root + "/tmp", expecting: nil)
    expectFailure(fresh, 66, says: "there is no backup")
  }

  /// A new backup in the place of a known one would hide that the known one is gone.
  @Test func `Init stops where a known backup is gone`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["init", "--json"]).json()
    let id = try #require(made["namespace_id"].text)
    try Files.remove(box.folder + "/cspp-namespaces")
    let before = try Files.contents(box.folder)
    let again = try await box.keybackup(["init"], expecting: nil)
    expectFailure(again, 89, says: "is gone", id, "status --accept")
    #expect(try Files.contents(box.folder) == before)
    // The key was not asked to create anything.
    let json = try await box.keybackup(["init", "--json"], key: ["--no-key"], expecting: 89)
    try expectFailure(json, 89, word: "rollback")
    try await box.keybackup(["status", "--accept", "--yes"], key: nil, pin: .none)
    try await box.keybackup(["init"])
  }

  @Test func `The trace shows traffic and no secret`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(Sandbox.derive + ["--trace"])
    let dumped = outcome.err.split(separator: "\n").flatMap { line in
      line.split(separator: " ").dropFirst().compactMap {
        $0.count == 2 ? UInt8($0, radix: 16) : nil
      }
    }
    #expect(dumped.count > 500)
    #expect(dumped.firstRange(of: Array("keybackup-derive:".utf8)) != nil)
    #expect(dumped.firstRange(of: bytes(hex: outcome.out)) == nil, "the PRF output")
    #expect(dumped.firstRange(of: Array(Sandbox.pin.utf8)) == nil, "the PIN")
  }
}

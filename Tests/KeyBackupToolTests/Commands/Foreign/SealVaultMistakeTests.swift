import Testing

/// `keybackup foreign sealvault` with files, secrets and paths as people mistake them.
@Suite struct SealVaultMistakeTests {
  private let given: SealVaultBox
  private var folder: String { given.folder }
  private var secret: String { given.box.root + "/secret" }

  init() async throws {
    given = try await SealVaultBox()
    try Files.write(SealVaultBox.secret, to: secret, mode: 0o600)
  }

  private func verify(_ zip: String) async throws -> Outcome {
    try await given.run(
      ["verify", zip, "--password-file", given.password, "--kdf-secret", secret], expecting: nil)
  }

  // MARK: Files

  @Test func `Another file, an empty one, a cut one and a placeholder are told apart`()
    async throws
  {
    let known = try Files.read(SealVaultTests.vector)
    let file = given.box.root + "/a.zip"
    for (bytes, words) in [
      ([], "the zip file in \(file) is empty"),
      (Array("<html>no zip file</html>".utf8), "\(file) is no zip file"),
      (Array(known.prefix(200)), "the end of the zip file in \(file) is missing or damaged"),
      (known + [0], "the end of the zip file in \(file) is missing or damaged"),
    ] as [([UInt8], String)] {
      try Files.write(bytes, to: file)
      expectFailure(try await verify(file), 65, says: words)
    }
    let placeholder = "\(folder)/.\(SealVaultTests.file).icloud"
    try Files.write("bplist00", to: placeholder)
    expectFailure(try await verify(placeholder), 75, says: "is a placeholder", "not downloaded yet")
    try Files.write("no database, just some text\n", to: given.database)
    let write = ["write", given.database, folder, "--device-id", "laptop", "--kdf-secret", secret]
    let refused = try await given.run(
      write + ["--password-file", given.password], expecting: nil)
    expectFailure(refused, 65, says: "\(given.database) is no SQLite database")
  }

  @Test func `Files that are not as SealVault names them are counted or named`() async throws {
    let name = "sealvault_backup_v1_ios_253402300800_A_7.zip"
    for file in ["backup.zip", "Other.ZIP", "Copy of \(name)", "\(name).bak", "notes.txt", name] {
      try Files.write("x", to: "\(folder)/\(file)")
    }
    let json = try await given.run(["find", folder, "--json"]).json()
    #expect(json["other_zip_files"].number == 2)
    #expect(json["backups"].items.map { $0["state"].text } == ["named", "renamed", "renamed"])
    let text = try await given.run(["find", folder])
    #expect(text.err.contains("2 other zip files are there"), "\(text.err)")
    // A year of five digits fits no column.
    #expect(text.out.contains("\n-  ") && !text.out.contains("10000"), "\(text.out)")
    try Files.remove("\(folder)/\(name)")
    let none = try await given.run(
      ["disable", folder, "--device-id", "A", "--yes"], expecting: nil)
    expectFailure(none, 66, says: "Copy of", "\(name).bak", "look at them yourself")
    let split = try await given.run(["find", "Down", "loads"], expecting: nil)
    expectFailure(split, 64, says: "in quotes")
    let missing = try await given.run(
      ["write", given.database, folder + "/none", "--device-id", "A", "--password-file"]
        + [given.password, "--kdf-secret", secret], expecting: nil)
    expectFailure(missing, 66, says: "is no folder", "make the folder first")
  }

  @Test func `A database that is none opens, and says since when`() async throws {
    let opened = try await verify(SealVaultTests.vector)
    #expect(opened.code == 0 && opened.err.contains("no intact database"), "\(opened.err)")
    #expect(opened.err.contains("when the device backed it up"), "\(opened.err)")
  }

  // MARK: Questions

  private func write(_ steps: [TerminalStep], expecting: Int32) async throws -> Outcome {
    try await given.run(
      ["write", given.database, folder, "--device-id", "laptop", "--kdf-secret", secret],
      terminal: steps, expecting: expecting)
  }

  @Test func `A typed password is asked for twice where nothing opens with it`() async throws {
    let password = TerminalStep.type("8FD93-EYWZR-GB7HX-QAVNS\n")
    let once: [TerminalStep] = [.expect("SealVault password (hidden)"), password]
    let again = TerminalStep.expect("SealVault password again (hidden)")
    let slip = try await write(
      once + [again, .type("8FD93-EYWZR-GB7HX-QAVN5\n")], expecting: 65)
    #expect(slip.screen.contains("the two passwords are not the same"), "\(slip.screen)")
    #expect(Files.tree(folder).isEmpty)
    let first = try await write(once + [again, password], expecting: 0)
    #expect(first.stepsLeft.isEmpty && Files.tree(folder).count == 1, "\(first.screen)")
    // The earlier backup opens with it: that is proof enough.
    let second = try await write(once, expecting: 0)
    #expect(!second.screen.contains("again"), "\(second.screen)")
    // Another password needs to be proved like the first.
    let other = try await write(
      [once[0], .type("8FD93-EYWZR-GB7HX-QAVN5\n"), again, password], expecting: 65)
    #expect(other.stepsLeft.isEmpty && Files.tree(folder).count == 1, "\(other.screen)")
    let short = try await write([once[0], .type("hunter2\n")], expecting: 65)
    #expect(short.screen.contains("--new-password FILE"), "\(short.screen)")
  }

  @Test func `A typed KDF secret is asked for twice, too`() async throws {
    let typed = TerminalStep.type(SealVaultBox.secret + "\n")
    let outcome = try await given.run(
      ["write", given.database, folder, "--device-id", "laptop"]
        + ["--new-password", given.box.root + "/new"],
      terminal: [
        .expect("KDF secret, 64 hex digits (hidden)"), typed,
        .expect("KDF secret again (hidden)"), .type(SealVaultBox.secret.dropLast() + "0\n"),
      ], expecting: 65)
    #expect(outcome.screen.contains("the two KDF secrets are not the same"), "\(outcome.screen)")
    #expect(Files.tree(folder).isEmpty && !Files.exists(given.box.root + "/new"))
  }

  @Test func `Files are looked at before anything is asked`() async throws {
    try Files.setMode(secret, 0o644)
    let open = ["verify", SealVaultTests.vector, "--kdf-secret"]
    let readable = try await given.run(open + [secret], terminal: [], expecting: 78)
    #expect(readable.screen.contains("others can read the KDF secret file"), "\(readable.screen)")
    #expect(!readable.screen.contains("(hidden)"), "\(readable.screen)")
    let missing = try await given.run(open + [secret + "2"], terminal: [], expecting: 66)
    #expect(!missing.screen.contains("(hidden)"), "\(missing.screen)")
    let nobody = try await given.run(["verify", SealVaultTests.vector], expecting: nil)
    expectFailure(nobody, 78, says: "password and the KDF secret are needed", "--password-file")
    let nowhere = try await given.run(
      ["write", given.database, folder, "--device-id", "laptop", "--new-password", "~/password"],
      expecting: nil)
    expectFailure(nowhere, 73, says: "the shell did not expand ~")
    let keyring = try await given.run(
      open.dropLast() + ["--desktop-keyring", "--password-file", given.password], expecting: nil)
    expectFailure(keyring, 78, says: "--kdf-secret FILE")
    #expect(!keyring.err.contains("unlock"), "\(keyring.err)")
  }
}

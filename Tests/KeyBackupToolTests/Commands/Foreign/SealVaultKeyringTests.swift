import Testing

/// `keybackup foreign sealvault` with the KDF secret in the desktop's keyring, and `disable`.
@Suite struct SealVaultKeyringTests {
  private let given: SealVaultBox
  private let desktop: DesktopSession

  init() async throws {
    given = try await SealVaultBox()
    desktop = try await DesktopSession(given.box)
  }

  private func run(
    _ words: String..., terminal: [TerminalStep]? = nil, expecting: Int32? = 0
  ) async throws -> Outcome {
    try await given.run(
      words + ["--desktop-keyring"], environment: desktop.environment, terminal: terminal,
      expecting: expecting)
  }

  private func stored() throws -> [UInt8] {
    try desktop.secret(["xdg:schema": "keybackup.SealVaultSecret", "device": "laptop"])
  }

  private func write(_ database: String, expecting: Int32? = 0) async throws -> Outcome {
    try await run(
      "write", database, given.folder, "--device-id", "laptop", "--password-file", given.password,
      "--json", expecting: expecting)
  }

  @Test func `A new secret is made, found again, and forgotten when the person says so`()
    async throws
  {
    let file = try #require(try await write(given.database).json()["file"].text)
    let secret = try stored()
    #expect(secret.count == 32)
    // It is the secret: Python opens the backup with it.
    let zip = given.folder + "/" + file
    #expect(
      try await given.python("open", zip, given.password, hex(secret))
        == hex(Files.read(given.database)))
    _ = try await run("verify", zip, "--password-file", given.password)
    let next = try await write(given.database).json()
    #expect(next["deleted"].items.map(\.text) == [file])
    #expect(try stored() == secret)

    // The question says what is lost.
    let question = "Delete 1 backup of laptop and the KDF secret in the keyring, without which no"
    let kept = try await run(
      "disable", given.folder, "--device-id", "laptop",
      terminal: [.expect(question), .type("n\n")], expecting: 85)
    #expect(kept.stepsLeft.isEmpty, "\(kept.screen)")
    #expect(Files.tree(given.folder).count == 1)
    #expect(try stored() == secret)
    let mistyped = try await run(
      "disable", given.folder, "--device-id", "labtop", "--yes", expecting: nil)
    expectFailure(mistyped, 66, says: "no backup of the device labtop", "no KDF secret of it")
    let gone = try await run(
      "disable", given.folder, "--device-id", "laptop",
      terminal: [.expect(question), .type("y\n")])
    #expect(gone.out == "Deleted 1 backup and the KDF secret in the keyring.\n")
    #expect(try stored().isEmpty && Files.tree(given.folder).isEmpty)
  }

  @Test func `No secret is kept that opens none of the device's backups`() async throws {
    let database = try await given.ownDatabase(version: 3)
    for _ in 0..<2 {
      let refused = try await write(database, expecting: nil)
      try expectFailure(refused, 66, word: "no-input")
      #expect(refused.out.contains("--kdf-secret FILE"), "\(refused.out)")
      #expect(try stored().isEmpty && Files.tree(given.folder).isEmpty)
    }
    // A password that is none ends the run before anything is kept, too.
    try Files.write("short\n", to: given.password, mode: 0o600)
    try expectFailure(
      await write(given.database, expecting: nil), 65, word: "data-invalid")
    #expect(try stored().isEmpty)
  }
}

import Testing

/// The security key of a SealVault backup's secret, beside the key that opens this backup.
@Suite struct FactorKeyTests {
  private let given: SealVaultBox
  private var box: Sandbox { given.box }
  /// The key of the secret, where it is another one.
  private var other: String { box.root + "/other.json" }

  init() async throws {
    given = try await SealVaultBox()
    try await box.keybackup(["init"])
  }

  /// A backup whose KDF secret a key gives.
  ///
  /// - Returns: the words that open it.
  private func opening(with key: [String]) async throws -> [String] {
    try await box.keybackup(["credential", "create"], key: key)
    let written = try await given.run(
      ["write", given.database, given.folder, "--device-id", "laptop", "--security-key"]
        + ["--password-file", given.password, "--json"], key: key)
    let file = try #require(try written.json()["file"].text)
    return [
      "foreign", "sealvault", "open", given.folder + "/" + file, "--security-key",
      "--password-file", given.password, "--add",
    ]
  }

  @Test func `A line for each of two openings is there before a key is asked`() async throws {
    let open = try await opening(with: [])
    let trace = try await box.traced {
      let refused = try await box.keybackup(
        open, pin: .descriptor(Sandbox.pin), expecting: nil)
      expectFailure(
        refused, 66, says: "not a PIN for each key", "first the one of the secret",
        "nothing was touched")
    }
    #expect(!trace.contains { $0.hasSuffix("TOUCH") } && PINTests.tries(trace) == 0, "\(trace)")
    try await box.keybackup(open, pin: .descriptor(Sandbox.pin + "\n" + Sandbox.pin))
    // One line is enough where no second key is asked.
    try await box.keybackup(["writers", "authorise"])
    try await box.keybackup(open, pin: .descriptor(Sandbox.pin))
  }

  @Test func `Of two keys in reach, each is used for what it holds`() async throws {
    let open = try await opening(with: ["--key", other])
    let both = ["--key", other, "--key", box.keyState]
    let unnamed = try await box.keybackup(open, key: both, expecting: nil)
    expectFailure(unnamed, 90, says: "2 security keys are in reach", "--factor-device: ")
    let found = try await box.keybackup(["devices", "--json"], key: both, pin: .none).json()
    let paths = found["devices"].items.compactMap { $0["path"].text }
    try #require(paths.count == 2)
    let listed = try await box.keybackup(
      ["credential", "list", "--json", "--device", paths[0]], key: both
    ).json()
    let id = try #require(listed["credentials"][0]["credential_id"].text)
    for options in [["--factor-device", paths[0]], ["--credential", id]] {
      try await box.keybackup(open + options, key: both)
    }
    let wrong = try await box.keybackup(
      open + ["--factor-device", paths[1]], key: both, expecting: nil)
    expectFailure(wrong, 80, says: "holds no credential for \"keybackup-derive:\"")
    let alone = try await box.keybackup(
      ["foreign", "sealvault", "verify", "x", "--factor-device", paths[0]], expecting: nil)
    expectFailure(alone, 64, says: "--factor-device goes with --security-key")
  }
}

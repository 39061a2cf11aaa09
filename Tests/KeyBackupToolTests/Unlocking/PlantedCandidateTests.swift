import Testing

/// Files that name a credential of the user's key, or salts for the right one.
///
/// None keeps the backup closed, and none makes the user touch the key many times.
@Suite struct PlantedCandidateTests {
  /// The number of touches that a command takes.
  private func touches(
    _ box: Sandbox, _ body: () async throws -> Void
  ) async throws -> Int {
    try await box.traced(body).count { $0.hasSuffix("TOUCH") }
  }

  private func list(
    _ backup: PreparedBackup, home: String? = nil, key: [String] = [],
    terminal: [TerminalStep]? = nil, expecting: Int32? = 0
  ) async throws -> Outcome {
    try await backup.box.keybackup(
      ["wallet", "list"], key: key, home: home, terminal: terminal, expecting: expecting)
  }

  private func salts(_ backup: PreparedBackup, _ count: Int) async throws {
    try await Attacker(box: backup.box).plant(
      "key",
      [
        "--namespace", backup.namespaceID, "--credential-id", backup.credentialID, "--count",
        "\(count)", "--time", "1",
      ])
  }

  @Test func `Many salts for the right credential cost a known computer nothing`() async throws {
    let backup = try await PreparedBackup()
    _ = try await list(backup)
    try await salts(backup, 60)
    #expect(try await touches(backup.box) { _ = try await list(backup) } == 1)
    // Also if they claim to replace it, or to be it.
    try await Attacker(box: backup.box).plant(
      "key",
      [
        "--namespace", backup.namespaceID, "--credential-id", backup.credentialID, "--count", "20",
        "--replaces", backup.keyID,
      ])
    let original = try Files.text(backup.wrapper)
    try Files.remove(backup.wrapper)
    try Files.write(original, to: backup.wrapper.replacing(".json", with: " (1).json"))
    try await Attacker(box: backup.box).plant(
      "key",
      [
        "--namespace", backup.namespaceID, "--credential-id", backup.credentialID, "--key-id",
        backup.keyID, "--time", "1",
      ])
    #expect(try await touches(backup.box) { _ = try await list(backup) } == 1)
  }

  @Test func `On a new computer four touches are enough`() async throws {
    let backup = try await PreparedBackup()
    try await salts(backup, 60)
    let count = try await touches(backup.box) {
      expectFailure(
        try await list(backup, expecting: nil), 90, says: "4 touches opened nothing",
        "keybackup key list")
    }
    #expect(count == 4)
  }

  @Test func `A person decides whether to go on`() async throws {
    let backup = try await PreparedBackup()
    try await salts(backup, 10)
    let refused = try await list(
      backup, terminal: [.expect("Go on with"), .type("n\n")], expecting: nil)
    #expect(refused.code == 90 && refused.stepsLeft.isEmpty, "\(refused.screen)")
    let count = try await touches(backup.box) {
      let opened = try await list(
        backup, terminal: [.expect("Go on with the 3 files left?"), .type("y\n")])
      #expect(opened.stepsLeft.isEmpty, "\(opened.screen)")
    }
    #expect(count == 6)
  }

  @Test func `Another credential of the same key is put aside`() async throws {
    let backup = try await PreparedBackup()
    let other = try await backup.box.registerWithPython(rpID: "keybackup:", discoverable: true)
    let plant = [
      "--namespace", backup.namespaceID, "--credential-id", "hex:" + hex(other), "--time",
    ]
    try await Attacker(box: backup.box).plant("key", plant + ["1"])
    try await Attacker(box: backup.box).plant("key", plant + ["2000000000"])
    let fresh = try await touches(backup.box) { _ = try await list(backup) }
    #expect(fresh == 2)
    let known = try await touches(backup.box) { _ = try await list(backup) }
    #expect(known == 1)
    // A file that is only damaged is still reported as damaged.
    try Files.remove(backup.envelope)
    try Files.write("{\"format\":\"keybackup-key\"}", to: backup.wrapper)
    let lost = try await list(backup, expecting: nil)
    #expect(lost.code == 65, "\(lost.text)")
  }

  /// A file names a key that is plugged in and opens nothing, beside the right one and alone.
  @Test func `Another key does not stand in the way`() async throws {
    let backup = try await PreparedBackup()
    let stranger = backup.box.root + "/stranger.json"
    let credential = try await backup.box.registerWithPython(
      rpID: "keybackup:", discoverable: true, key: ["--state", stranger])
    try await Attacker(box: backup.box).plant(
      "key",
      [
        "--namespace", backup.namespaceID, "--credential-id", "hex:" + hex(credential), "--time",
        "1",
      ])
    let both = ["--key", stranger, "--key", backup.box.keyState]
    #expect(try await touches(backup.box) { _ = try await list(backup, key: both) } == 2)
    #expect(try await touches(backup.box) { _ = try await list(backup, key: both) } == 1)
    // The right key is not here: that is no damage, and the command waits for it.
    let alone = try await list(backup, key: ["--state", stranger], expecting: nil)
    #expect(alone.code == 80, "\(alone.text)")
    try await backup.box.keybackup(
      ["wallet", "list", "--wait", "3600"],
      key: [
        "--key", stranger, "--key", backup.box.keyState + ",plug-after-ms=\(stranger).plugged",
      ],
      home: try backup.box.newHome(),
      meanwhile: [.expect("Insert"), .write("", to: stranger + ".plugged")])
  }
}

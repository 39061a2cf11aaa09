import Testing

/// Files in `keys/` that look like recovery kits with a security key as second secret.
///
/// Each asks for a touch. None may cost more than a few touches, or more than one try of a PIN.
@Suite struct PlantedKitTests {
  /// A backup with such a kit, and many planted ones beside it.
  private struct Scene {
    let backup: PreparedBackup
    let options: [String]
    let kit: String

    init(planted: Int) async throws {
      backup = try await PreparedBackup()
      let box = backup.box
      let id = try await box.keybackup(["credential", "create", "--json"])
        .json()["credential_id"].text
      let credential = try #require(id)
      let made = try await box.keybackup(
        [
          "recovery-kit", "create", "--json", "--reveal", "--secret-credential", credential,
          "--label", "real",
        ]
      ).json()
      let code = box.root + "/code"
      try Files.write(try #require(made["code"].text), to: code, mode: 0o600)
      options = ["--recovery-code-file", code]
      kit = try #require(made["key_id"].text)
      try await Attacker(box: box).plant(
        "code",
        [
          "--namespace", backup.namespaceID, "--count", "\(planted)", "--second-secret",
          "security_key", "--rp-id", "keybackup-derive:", "--credential-id", credential,
        ])
    }
  }

  @Test func `The known kit is asked for first`() async throws {
    let scene = try await Scene(planted: 8)
    let box = scene.backup.box
    let trace = try await box.traced {
      try await box.keybackup(["wallet", "list"] + scene.options)
    }
    #expect(trace.count { $0.hasSuffix("TOUCH") } == 1, "\(trace)")
  }

  @Test func `On a new computer four touches are enough`() async throws {
    let scene = try await Scene(planted: 40)
    let box = scene.backup.box
    let home = try box.newHome()
    let trace = try await box.traced {
      let listed = try await box.keybackup(
        ["wallet", "list"] + scene.options, home: home, expecting: nil)
      // The right one may be among the first four.
      #expect([0, 90].contains(listed.code), "\(listed.text)")
      if listed.code == 90 { #expect(listed.err.contains("--kit-id"), "\(listed.err)") }
    }
    #expect(trace.count { $0.hasSuffix("TOUCH") } <= 4, "\(trace)")
    // If it is named, it costs one touch.
    let named = try await box.traced {
      try await box.keybackup(
        ["wallet", "list", "--kit-id", String(scene.kit.prefix(8))] + scene.options, home: home)
    }
    #expect(named.count { $0.hasSuffix("TOUCH") } == 1, "\(named)")
  }

  @Test func `A wrong PIN costs one try`() async throws {
    let scene = try await Scene(planted: 8)
    let box = scene.backup.box
    let trace = try await box.traced {
      try await box.keybackup(
        ["wallet", "list"] + scene.options, pin: .descriptor("wrong-one"), home: box.newHome(),
        expecting: 81)
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
  }
}

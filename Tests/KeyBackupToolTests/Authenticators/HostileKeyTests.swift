import Testing

/// Runs the command with a key that misbehaves on purpose.
///
/// It must give an error that says what happened, must never hang, and must never seal a backup to
/// a bad secret.
@Suite struct HostileKeyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let fault: String
    let code: Int32
    let says: String

    init(_ fault: String, _ code: Int32, _ says: String = "") {
      self.fault = fault
      self.code = code
      self.says = says
    }

    var testDescription: String { fault }
    var key: [String] { ["--fault", fault] }
  }

  /// Answers that every command meets that opens the key or asks for its PIN.
  static let atTheStart: [Case] = [
    Case("info-huge", 75, "replug"), Case("init-old-nonce", 75, "replug"),
    Case("random:getInfo", 86), Case("truncated:getInfo", 86, "not the CBOR"),
    Case("oversized:getInfo", 75, "replug"), Case("out-of-order:getInfo", 75, "replug"),
    Case("wrong-channel:getInfo", 91, "does not answer"),
    Case("keepalives:getInfo", 91, "does not answer"),
  ]
  static let atThePIN: [Case] = [
    Case("pin-retries=-3", 86, "not the CBOR"), Case("pin-retries=99999999999", 86),
    Case("pin-retries=0", 82, "blocked"), Case("key-agreement-invalid", 74, "FIDO_ERR_INTERNAL"),
    Case("pin-token-random", 81, "proof of its PIN"), Case("pin-token-length=0", 74, "FIDO_ERR_RX"),
    Case("pin-token-length=5", 74, "FIDO_ERR_RX"), Case("pin-token-length=1024", 81),
    Case("random:clientPIN", 86), Case("truncated:clientPIN", 86),
    Case("twice:clientPIN", 74), Case("cut-off:clientPIN", 91, "does not answer"),
    Case("keepalives:clientPIN", 91, "does not answer"),
  ]
  static let atTheAssertion: [Case] = [
    Case("hmac-secret-plain", 86, "wrong length"), Case("hmac-secret-zero", 86, "not a secret"),
    Case("hmac-secret-echo", 86, "not a secret"),
    Case("assertions=3", 86, "answered several times"),
    Case("assertions=20", 86, "answered several times"),
    Case("assertion-count=3", 86, "more answers than it gave"),
    Case("assertion-count=9000000000", 86), Case("other-rp:getAssertion", 86, "relying party"),
    Case("random:getAssertion", 86), Case("truncated:getAssertion", 86),
    Case("oversized:getAssertion", 74, "FIDO_ERR_RX"),
    Case("out-of-order:getAssertion", 74, "FIDO_ERR_RX"),
    Case("wrong-channel:getAssertion", 84, "in time"),
    Case("cut-off:getAssertion", 84, "in time"), Case("keepalives:getAssertion", 84, "in time"),
  ]

  @Test(arguments: atTheStart + atThePIN + atTheAssertion)
  func `A hostile key gets no output from derive`(_ hostile: Case) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--timeout", "1"], key: hostile.key, expecting: nil)
    expectFailure(
      outcome, hostile.code, says: hostile.says, "hint: ")
    // The same key, behaving again, works as before.
    let after = try await box.keybackup(Sandbox.derive)
    #expect(after.out.count == 65)
  }

  /// libfido2 takes an answer without the counter for 0.
  @Test func `A key that once says that no try is left is asked again`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try await box.keybackup(Sandbox.derive, key: ["--fault", "pin-retries=0@1"])
  }

  @Test func `A credential that was not asked for does not answer`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--credential", id], key: ["--fault", "credential-id-unknown"],
      expecting: nil)
    expectFailure(outcome, 86, says: "not asked for")
  }

  /// The pre-flight names another credential of the list than the key holds.
  ///
  /// The named credential then does not answer.
  @Test func `A mixed up credential is no answer`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--credential", id], key: ["--fault", "credential-id-mixed-up@1"],
      expecting: nil)
    #expect([0, 80, 86].contains(outcome.code), "\(outcome.text)")
  }

  // MARK: Enrolling

  static let creations: [Case] = [
    Case("random:makeCredential", 86, "credential list"),
    Case("truncated:makeCredential", 86, "credential list"),
    Case("oversized:makeCredential", 74, "credential list"),
    Case("out-of-order:makeCredential", 74, "credential list"),
    Case("other-rp:makeCredential", 86, "credential list"),
    Case("cut-off:makeCredential", 84, "in time"), Case("keepalives:makeCredential", 84, "in time"),
    Case("twice:makeCredential", 74, "credential delete --force"),
    Case("created-id-differs", 86, "does not know the credential"),
    Case("credential-id-unknown", 86, "not asked for"),
    Case("hmac-secret-sealed-twice", 86, "two different outputs"),
    Case("hmac-secret-ignores-salt", 86, "the same for every salt"),
  ]

  /// Nothing is written, and the message says what may be left on the key.
  @Test(
    arguments: creations + atTheAssertion.filter { $0.fault != "assertion-count=9000000000" })
  func `init`(_ hostile: Case) async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["init", "--timeout", "1"], key: hostile.key, expecting: nil)
    expectFailure(outcome, hostile.code, says: hostile.says)
    #expect(Files.tree(box.folder).isEmpty)
    let list = try await box.keybackup(["credential", "list", "--json"]).json()
    for id in list["credentials"].items.compactMap({ $0["credential_id"].text }) {
      // Its name was in an answer that could not be read, or the key lied.
      let isUnknown =
        hostile.fault.hasSuffix(":makeCredential") || hostile.fault == "created-id-differs"
      #expect(isUnknown || outcome.err.contains(id), "left on the key unsaid: \(outcome.err)")
    }
    try await box.keybackup(["init"])
  }

  // MARK: Opening a backup

  static let openings: [Case] = [
    Case("hmac-secret-sealed-twice", 65, "damaged"), Case("hmac-secret-unstable", 65, "damaged"),
    Case("hmac-secret-ignores-salt", 65, "damaged"),
    Case("hmac-secret-unverified", 65, "damaged"), Case("hmac-secret-zero", 86, "not a secret"),
    Case("credential-id-unknown", 86, "not asked for"),
    Case("assertions=2", 86, "several times"), Case("random:getAssertion", 86),
    Case("keepalives:getAssertion@2", 84, "in time"), Case("info-less", 83),
  ]

  @Test(arguments: openings)
  func `A hostile key opens no backup and changes none`(_ hostile: Case) async throws {
    let prepared = try await PreparedBackup()
    let box = prepared.box
    let before = try Files.contents(box.folder)
    for command in [["verify", "--deep"], ["restore", "--out", box.root + "/restored"]] {
      let outcome = try await box.keybackup(
        command + ["--timeout", "1"], key: hostile.key, expecting: nil)
      #expect(outcome.code == hostile.code, "\(command): \(outcome.text)")
      #expect(outcome.err.contains(hostile.says), "\(outcome.err)")
    }
    #expect(try Files.contents(box.folder) == before)
    #expect(Files.tree(box.root + "/restored").isEmpty)
  }

  // MARK: Listing

  static let listings: [Case] = [
    Case("rp-count=200", 86, "more answers than it gave"),
    Case("credential-count=200", 86, "more answers than it gave"),
    Case("rp-count=-1", 86, "not the CBOR"), Case("credential-count=9223372036854775807", 86),
    Case("random:credentialManagementPreview", 86),
    Case("truncated:credentialManagementPreview", 86),
    Case("keepalives:credentialManagementPreview", 91, "does not answer"),
    Case("twice:credentialManagementPreview", 74),
  ]

  @Test(arguments: listings)
  func `A hostile key's list of credentials is refused`(_ hostile: Case) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      ["credential", "list", "--timeout", "1"], key: hostile.key, expecting: nil)
    expectFailure(outcome, hostile.code, says: hostile.says, "hint: ")
  }

  /// libfido2 allocates memory for every entry that a key announces.
  ///
  /// The command uses no more than its limit.
  @Test func `Announcing millions of credentials takes no memory`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let file = box.root + "/peak"
    let outcome = try await box.keybackup(
      ["credential", "list"], key: ["--fault", "rp-count=300000000"],
      wrapper: Python.script("interop/peak_memory.py") + [file], expecting: nil)
    #expect(outcome.code == 86, "\(outcome.text)")
    let kibibytes = Int(String(decoding: try Files.read(file), as: UTF8.self))
    #expect(try #require(kibibytes) < 512 * 1024)
  }

  @Test(arguments: atTheStart + [Case("info-less", 0), Case("info-more", 0)])
  func `Devices lists the key all the same`(_ hostile: Case) async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["devices"], key: hostile.key, pin: .none, expecting: nil)
    #expect(outcome.out.contains("/dev/hidraw0"), "\(outcome.text)")
  }

  /// Faults that cannot be noticed: the key answers as a good one would.
  @Test(arguments: ["signature-wrong", "uv-flag-forged", "info-more", "pin-retries=255"])
  func `A lie that cannot be told changes no output`(fault: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let honest = try await box.keybackup(Sandbox.derive)
    let lying = try await box.keybackup(Sandbox.derive, key: ["--fault", fault])
    #expect(lying.out == honest.out)
  }
}

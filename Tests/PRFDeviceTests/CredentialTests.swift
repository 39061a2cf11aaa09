import PRFDevice
import Testing
import VirtualKey

@Suite struct CredentialTests {
  @Test func `A new credential is described`() async throws {
    let bench = try Bench { $0.aaguid = [UInt8](0..<16) }
    let authenticator = try await bench.open()
    let created = try await authenticator.createCredential(
      .test(protection: .userVerificationOptionalWithCredentialID), pin: pin())
    #expect(!created.id.bytes.isEmpty)
    #expect(created.userID.count == Authenticator.userIDSize)
    #expect(created.aaguid.description == "00010203-0405-0607-0809-0a0b0c0d0e0f")
    #expect(created.protection == 2)
    #expect(created.isUserVerified)
  }

  @Test func `Every credential has a user ID of its own`() async throws {
    let authenticator = try await Bench().open()
    let first = try await authenticator.createCredential(.test(), pin: pin())
    let second = try await authenticator.createCredential(.test(), pin: pin())
    #expect(first.userID != second.userID)
    #expect(first.id != second.id)
    // The second did not replace the first.
    #expect(try await authenticator.credentials(pin: pin()).count == 2)
  }

  @Test(arguments: [0, 1, 9, 30])
  func `A key that holds an excluded credential refuses`(others: Int) async throws {
    let bench = try Bench()
    let authenticator = try await bench.open()
    let id = try await authenticator.createCredential(.test(), pin: pin()).id
    let unknown = (0..<others).map { CredentialID([UInt8](repeating: UInt8($0), count: 32)) }
    let error = await failure {
      _ = try await authenticator.createCredential(.test(excluding: unknown + [id]), pin: pin())
    }
    #expect(error == .credentialExcluded)
    let created = try await authenticator.createCredential(.test(excluding: unknown), pin: pin())
    #expect(created.id != id)
  }

  @Test func `A key without hmac-secret makes no credential`() async throws {
    let bench = try Bench { $0.hmacSecret = false }
    let authenticator = try await bench.open()
    let error = await failure {
      _ = try await authenticator.createCredential(.test(), pin: pin())
    }
    #expect(error == .prfUnsupported)
    #expect(bench.count("makeCredential") == 0)
  }

  @Test func `A key that stores no credentials makes others`() async throws {
    let bench = try Bench { $0.residentKeys = false }
    let authenticator = try await bench.open()
    #expect(
      await failure { _ = try await authenticator.createCredential(.test(), pin: pin()) }
        == .discoverableUnsupported)
    #expect(bench.count("makeCredential") == 0)
    _ = try await authenticator.createCredential(.test(isDiscoverable: false), pin: pin())
  }

  @Test func `Protection is left out where the key has none`() async throws {
    let authenticator = try await Bench { $0.credProtect = false }.open()
    let created = try await authenticator.createCredential(
      .test(protection: .userVerificationOptionalWithCredentialID), pin: pin())
    #expect(created.protection == nil)
  }

  @Test(
    arguments: [
      ("storage-full", PRFDeviceError.keyStoreFull),
      ("error:makeCredential=0x27", .denied),
      ("error:makeCredential=0x2F", .touchTimeout),
      ("error:makeCredential=0x37", .pinPolicyViolation(.authenticatorPolicy)),
      ("unplug:makeCredential", .authenticatorLost),
      (
        "garbage:makeCredential",
        .protocolViolation("the answer is not the CBOR that CTAP prescribes")
      ),
    ])
  func `A refusal is told`(fault: String, expected: PRFDeviceError) async throws {
    let authenticator = try await Bench(faults: [fault]).open()
    let error = await failure {
      _ = try await authenticator.createCredential(.test(), pin: pin())
    }
    #expect(error == expected)
  }

  @Test func `Credentials of several relying parties are listed and deleted`() async throws {
    let authenticator = try await Bench().open()
    #expect(try await authenticator.credentials(pin: pin()).isEmpty)
    var made: [CredentialID] = []
    for (rpID, user) in [("keybackup:", "one"), ("keybackup:", "two"), ("other", "three")] {
      made.append(
        try await authenticator.createCredential(.test(rpID: rpID, user: user), pin: pin()).id)
    }
    // Not discoverable: not listed.
    _ = try await authenticator.createCredential(.test(isDiscoverable: false), pin: pin())
    let listed = try await authenticator.credentials(pin: pin())
    #expect(Set(listed.map(\.id)) == Set(made))
    let third = try #require(listed.first { $0.id == made[2] })
    #expect(third.rpID == "other")
    #expect(third.userName == "three")
    #expect(third.userDisplayName == "Display of three")
    #expect(third.userID.count == 16)

    try await authenticator.deleteCredential(made[0], pin: pin())
    #expect(Set(try await authenticator.credentials(pin: pin()).map(\.id)) == Set(made[1...]))
    let error = await failure { try await authenticator.deleteCredential(made[0], pin: pin()) }
    #expect(error == .noCredentials)
  }

  /// libfido2 1.12 sends the command's number from before CTAP 2.1 only.
  @Test func `Listing says when the key knows only the final command`() async throws {
    let bench = try Bench { $0.credentialManagementPreview = false }
    let authenticator = try await bench.open()
    let id = try await authenticator.createCredential(.test(), pin: pin()).id
    #expect(
      await failure { _ = try await authenticator.credentials(pin: pin()) }
        == .credentialManagementUnsupported)
    #expect(
      await failure { try await authenticator.deleteCredential(id, pin: pin()) }
        == .credentialManagementUnsupported)
  }

  @Test func `A relying party whose ID the key cut short does not hide the others`() async throws {
    let authenticator = try await Bench(faults: ["rp-id-truncated"]).open()
    let long = String(repeating: "long.", count: 10) + "example"
    _ = try await authenticator.createCredential(.test(rpID: long), pin: pin())
    let id = try await authenticator.createCredential(.test(), pin: pin()).id
    #expect(try await authenticator.credentials(pin: pin()).map(\.id) == [id])
  }

  @Test func `A wrong PIN is spent once while listing`() async throws {
    let bench = try Bench()
    let authenticator = try await bench.open()
    _ = try await authenticator.createCredential(.test(), pin: pin())
    let error = await failure { _ = try await authenticator.credentials(pin: pin("9999")) }
    #expect(error == .pinInvalid(retriesLeft: 7))
  }
}

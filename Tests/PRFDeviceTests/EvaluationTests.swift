import FoundationEssentials
import PRFDevice
import SecretMemory
import Testing
import VirtualKey

@Suite struct EvaluationTests {
  static let rpID = "keybackup:"
  static let input = PRFInput.webAuthn(Array("first".utf8))
  static let other = PRFInput.webAuthn(Array("second".utf8))

  /// A key with one imported credential, whose PRF is known.
  private func bench(
    credRandom: [UInt8], faults: [String] = [],
    configure: (inout KeyConfiguration) -> Void = { _ in }
  ) throws -> Bench {
    let bench = try Bench(faults: faults, configure: configure)
    let hex = credRandom.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let description = #"{"rp_id":"\#(Self.rpID)","cred_random_with_uv":"\#(hex)"}"#
    try bench.store.add(
      JSONDecoder().decode(ImportedCredential.self, from: Data(description.utf8)))
    return bench
  }

  @Test(arguments: PRFVector.all.filter { $0.prfOutput != nil }, [[1], [2], [2, 1]])
  func `The output is the HMAC under user verification`(
    vector: PRFVector, protocols: [Int]
  ) async throws {
    let bench = try bench(credRandom: bytes(vector.credRandomWithUV ?? "")) {
      $0.pinProtocols = protocols
    }
    let authenticator = try await bench.open()
    let request = PRFRequest(rpID: Self.rpID, first: .webAuthn(bytes(vector.prfInput)))
    let evaluations = try await authenticator.evaluate(request, pin: pin())
    #expect(evaluations.count == 1)
    #expect(evaluations.first?.first().bytes == bytes(vector.prfOutput ?? ""))
    #expect(evaluations.first?.hasSecond == false)
  }

  @Test(arguments: [[1], [2]])
  func `Two inputs give the outputs that each gives alone`(protocols: [Int]) async throws {
    let bench = try Bench { $0.pinProtocols = protocols }
    let authenticator = try await bench.open()
    let id = try await authenticator.createCredential(.test(), pin: pin()).id
    func evaluate(_ first: PRFInput, _ second: PRFInput?) async throws -> PRFEvaluation {
      let request = PRFRequest(
        rpID: Self.rpID, credentialIDs: [id], first: first, second: second)
      return try #require(try await authenticator.evaluate(request, pin: pin()).first)
    }
    let both = try await evaluate(Self.input, Self.other)
    let first = try await evaluate(Self.input, nil)
    let second = try await evaluate(Self.other, nil)
    #expect(both.first().bytes == first.first().bytes)
    #expect(both.second()?.bytes == second.first().bytes)
    #expect(first.first().bytes != second.first().bytes)
    #expect(both.credentialID == id)
  }

  @Test func `Every discoverable credential of the relying party answers`() async throws {
    let bench = try Bench()
    let authenticator = try await bench.open()
    var made: [CredentialID: String] = [:]
    for user in ["one", "two", "three"] {
      made[try await authenticator.createCredential(.test(user: user), pin: pin()).id] = user
    }
    _ = try await authenticator.createCredential(.test(rpID: "another"), pin: pin())
    let request = PRFRequest(rpID: Self.rpID, first: Self.input, second: Self.other)
    let evaluations = try await authenticator.evaluate(request, pin: pin())
    #expect(Set(evaluations.map(\.credentialID)) == Set(made.keys))
    for evaluation in evaluations {
      #expect(evaluation.userName == made[evaluation.credentialID])
      #expect(evaluation.userDisplayName == "Display of \(evaluation.userName ?? "")")
      #expect(evaluation.userID.count == 16)
    }
    #expect(Set(evaluations.map { $0.first().bytes }).count == 3)
  }

  @Test func `Nothing is sent without a slot to verify the user`() async throws {
    let bench = try Bench()
    let authenticator = try await bench.open()
    let before = bench.commands.count
    let request = PRFRequest(rpID: Self.rpID, first: Self.input)
    #expect(
      await failure { _ = try await authenticator.evaluate(request, pin: nil) } == .pinRequired)
    #expect(bench.commands.count == before)

    let bare = try await Bench(pin: nil).open()
    #expect(await failure { _ = try await bare.evaluate(request, pin: nil) } == .pinNotSet)
    #expect(await failure { _ = try await bare.evaluate(request, pin: pin()) } == .pinNotSet)
  }

  @Test(
    arguments: [
      ("uv-flag-missing", PRFDeviceError.userVerificationMissing),
      ("hmac-secret-missing", .prfNotDelivered),
      ("hmac-secret-length=0", .prfNotDelivered),
      ("hmac-secret-length=16", .prfWrongLength(count: 16)),
      ("hmac-secret-length=64", .prfWrongLength(count: 64)),
      ("error:getAssertion=0x2E", .noCredentials),
      ("error:getAssertion=0x27", .denied),
      ("error:getAssertion=0x30", .denied),
      ("error:getAssertion=0x2F", .touchTimeout),
      ("error:getAssertion=0x3A", .touchTimeout),
      ("error:getAssertion=0x2D", .denied),
      ("error:getAssertion=0x3C", .uvBlocked),
      ("error:getAssertion=0x7F", .authenticator(code: 0x7F)),
      ("error:getAssertion=0xE1", .authenticator(code: 0xE1)),
      (
        "garbage:getAssertion",
        .protocolViolation("the answer is not the CBOR that CTAP prescribes")
      ),
      ("unplug:getAssertion", .authenticatorLost),
      ("unplug:clientPIN", .authenticatorLost),
    ])
  func `A faulty answer becomes the error that names it`(
    fault: String, expected: PRFDeviceError
  ) async throws {
    let bench = try bench(credRandom: [UInt8](repeating: 7, count: 32), faults: [fault])
    let authenticator = try await bench.open()
    let request = PRFRequest(rpID: Self.rpID, first: Self.input)
    let error = await failure { _ = try await authenticator.evaluate(request, pin: pin()) }
    #expect(error == expected)
  }

  @Test func `A key without hmac-secret is told apart from one that fails to deliver`()
    async throws
  {
    let bench = try bench(credRandom: [UInt8](repeating: 7, count: 32)) { $0.hmacSecret = false }
    let authenticator = try await bench.open()
    let request = PRFRequest(rpID: Self.rpID, first: Self.input)
    let error = await failure { _ = try await authenticator.evaluate(request, pin: pin()) }
    #expect(error == .prfUnsupported)
  }

  /// C would truncate one, and libfido2 would send the beginning of another.
  @Test(arguments: ["", "a\0b", String(repeating: "x", count: 254)])
  func `What is no relying party ID is refused`(rpID: String) async throws {
    let authenticator = try await Bench().open()
    #expect(
      await failure { _ = try await authenticator.createCredential(.test(rpID: rpID), pin: pin()) }
        == .invalidInput("relying party ID"))
    #expect(
      await failure { _ = try await authenticator.holds([CredentialID([1])], rpID: rpID) }
        == .invalidInput("relying party ID"))
    let request = PRFRequest(rpID: rpID, first: Self.input)
    let error = await failure { _ = try await authenticator.evaluate(request, pin: pin()) }
    #expect(error == .invalidInput("relying party ID"))
  }

  @Test(arguments: [0, 1024, 20_000])
  func `What is no credential ID is refused, and the key goes on`(size: Int) async throws {
    let authenticator = try await Bench().open()
    let id = CredentialID([UInt8](repeating: 1, count: size))
    let request = PRFRequest(rpID: Self.rpID, credentialIDs: [id], first: Self.input)
    for error in [
      await failure { _ = try await authenticator.evaluate(request, pin: pin()) },
      await failure { _ = try await authenticator.holds([id], rpID: Self.rpID) },
      await failure { try await authenticator.deleteCredential(id, pin: pin()) },
      await failure {
        _ = try await authenticator.createCredential(.test(excluding: [id]), pin: pin())
      },
    ] { #expect(error == .invalidInput("credential ID")) }
    #expect(try await authenticator.pinRetries() == 8)
  }
}

import PRFDevice
import Testing
import VirtualKey

/// The same work on every kind of key.
@Suite struct KindsTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let configure: @Sendable (inout KeyConfiguration) -> Void

    init(_ description: String, _ configure: @escaping @Sendable (inout KeyConfiguration) -> Void) {
      testDescription = description
      self.configure = configure
    }
  }

  static let kinds = [
    Kind("CTAP 2.0") {
      $0.versions = ["FIDO_2_0"]
      $0.pinProtocols = [1]
      ($0.pinUvAuthToken, $0.credProtect) = (false, false)
      $0.maximumMessageSize = nil
    },
    Kind("CTAP 2.1 draft") {
      $0.versions = ["FIDO_2_0", "FIDO_2_1_PRE"]
      $0.pinUvAuthToken = false
    },
    Kind("no message size told") { $0.maximumMessageSize = nil },
    Kind("one credential ID at a time") { $0.maximumCredentialCountInList = 1 },
    Kind("short credential IDs only") { $0.maximumCredentialIDLength = 66 },
    Kind("PIN protocol 1 first") { $0.pinProtocols = [1, 2] },
    Kind("PIN protocol 2 only") { $0.pinProtocols = [2] },
    Kind("always verifies") { $0.alwaysVerify = true },
    Kind("always verifies, with a reader") {
      ($0.alwaysVerify, $0.builtInVerification) = (true, true)
    },
    Kind("creates without verification") { $0.makeCredentialWithoutVerification = true },
    Kind("no credProtect") { $0.credProtect = false },
  ]

  @Test(arguments: kinds, [true, false])
  func `It creates, finds, evaluates and deletes`(
    kind: Kind, isDiscoverable: Bool
  ) async throws {
    let bench = try Bench(configure: kind.configure)
    let authenticator = try await bench.open()
    let others = (0..<5).map { CredentialID([UInt8](repeating: UInt8($0), count: 100)) }
    let request = CredentialRequest.test(
      isDiscoverable: isDiscoverable, excluding: others,
      protection: .userVerificationOptionalWithCredentialID)
    let created = try await authenticator.createCredential(request, pin: pin())
    #expect(created.isUserVerified)
    var again = request
    again.excludedIDs.append(created.id)
    #expect(
      await failure { _ = try await authenticator.createCredential(again, pin: pin()) }
        == .credentialExcluded)

    #expect(
      try await authenticator.holds(others + [created.id], rpID: "keybackup:") == .yes(created.id))
    func evaluate(_ ids: [CredentialID]) async throws -> PRFEvaluation {
      let request = PRFRequest(
        rpID: "keybackup:", credentialIDs: ids, first: .webAuthn([1]), second: .webAuthn([2]))
      return try #require(try await authenticator.evaluate(request, pin: pin()).first)
    }
    let first = try await evaluate([created.id])
    let second = try await evaluate(isDiscoverable ? [] : [created.id])
    #expect(first.first().bytes == second.first().bytes)
    #expect(first.second()?.bytes == second.second()?.bytes)
    #expect(first.credentialID == second.credentialID)

    let listed = try await authenticator.credentials(pin: pin())
    #expect(listed.map(\.id) == (isDiscoverable ? [created.id] : []))
    guard isDiscoverable else { return }
    try await authenticator.deleteCredential(created.id, pin: pin())
    #expect(try await authenticator.credentials(pin: pin()).isEmpty)
  }
}

import FoundationEssentials
import PRFDevice
import SecretMemory
import Testing
import VirtualKey

/// Whatever a key answers, there is a result, or an error that says what happened.
///
/// There is no crash and no hang. `KEYBACKUP_FUZZ=N` runs N times as many cases.
@Suite struct MisbehaviourTests {
  private static let rounds =
    40 * (ProcessInfo.processInfo.environment["KEYBACKUP_FUZZ"].flatMap(Int.init) ?? 1)

  enum Use: String, CaseIterable, Sendable {
    case info, retries, setPIN, changePIN, create, list, delete, holds, evaluate, discover
  }

  /// A key with two credentials, of which the first is returned.
  static func store(hasPIN: Bool) throws -> (KeyStore, CredentialID) {
    let store = KeyStore()
    if hasPIN { try store.setPIN(Bench.pinText) }
    let ids = [[UInt8](repeating: 1, count: 48), [UInt8](repeating: 2, count: 48)]
    for id in ids {
      let hex = id.map { "0" + String($0, radix: 16) }.joined()
      let description =
        #"{"rp_id":"keybackup:","credential_id":"\#(hex)","cred_random_with_uv":"\#(hex.prefix(64))"}"#
      try store.add(JSONDecoder().decode(ImportedCredential.self, from: Data(description.utf8)))
    }
    return (store, CredentialID(ids[0]))
  }

  private func run(_ use: Use, seed: UInt64) async throws -> PRFDeviceError? {
    let (store, id) = try Self.store(hasPIN: use != .setPIN)
    let key = try InProcessKey(store: store)
    var options = Authenticator.Options()
    (options.touchTimeout, options.answerTimeout) = (.seconds(2), .seconds(2))
    options.readsPINRetries = seed % 2 == 0
    do throws(PRFDeviceError) {
      let transport = MisbehavingTransport(key, seed: seed)
      let authenticator = try await Authenticator.open(over: transport, options: options)
      try await Self.use(authenticator, for: use, id)
      await authenticator.close()
      return nil
    } catch {
      return error
    }
  }

  static func use(
    _ authenticator: Authenticator, for use: Use, _ id: CredentialID
  ) async throws(PRFDeviceError) {
    let pin = try PIN(SecretBytes(copying: unsafe Array(Bench.pinText.utf8).span.bytes))
    switch use {
    case .info: _ = try await authenticator.info()
    case .retries: _ = try await authenticator.pinRetries()
    case .setPIN: try await authenticator.setPIN(pin)
    case .changePIN: try await authenticator.changePIN(from: pin, to: pin)
    case .create:
      _ = try await authenticator.createCredential(
        .test(excluding: [CredentialID([9])], protection: .userVerificationOptional), pin: pin)
    case .list: _ = try await authenticator.credentials(pin: pin)
    case .delete: try await authenticator.deleteCredential(id, pin: pin)
    case .holds:
      let asked = [CredentialID([9]), id]
      if case .yes(let held) = try await authenticator.holds(asked, rpID: "keybackup:") {
        #expect(asked.contains(held))
      }
    case .evaluate, .discover:
      let request = PRFRequest(
        rpID: "keybackup:", credentialIDs: use == .evaluate ? [id] : [],
        first: .webAuthn([1]), second: .webAuthn([2]))
      for evaluation in try await authenticator.evaluate(request, pin: pin) {
        #expect(evaluation.hasSecond)
        if use == .evaluate { #expect(evaluation.credentialID == id) }
      }
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: Use.allCases)
  func `Damaged answers end every call with a result or an error`(use: Use) async throws {
    var failures = 0
    for seed in 0..<UInt64(Self.rounds) {
      let error = try await run(use, seed: seed << 8 | UInt64(use.rawValue.utf8.count))
      if error != nil { failures += 1 }
    }
    // Some answers pass undamaged; if all of them did, the test would test nothing.
    #expect(failures > Self.rounds / 10)
  }
}

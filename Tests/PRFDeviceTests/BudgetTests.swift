import PRFDevice
import Testing
import VirtualKey

/// The cost of an evaluation on the wire.
@Suite struct BudgetTests {
  /// A key with a credential, freshly plugged in, and with changed options.
  private func bench(
    _ change: (inout Authenticator.Options) -> Void = { _ in }
  ) async throws -> (Bench, CredentialID) {
    let first = try Bench()
    let id = try await first.open().createCredential(.test(), pin: pin()).id
    var bench = try Bench(store: first.store)
    change(&bench.options)
    return (bench, id)
  }

  @Test(arguments: [nil, PRFInput.webAuthn([1])])
  func `Retries, pre-flight and evaluation take 6 commands on one handle`(
    second: PRFInput?
  ) async throws {
    let (bench, id) = try await bench()
    let authenticator = try await bench.open()
    #expect(try await authenticator.holds([id], rpID: "keybackup:") == .yes(id))
    #expect(try await authenticator.pinRetries() == 8)
    let request = PRFRequest(
      rpID: "keybackup:", credentialIDs: [id], first: .webAuthn([]), second: second)
    _ = try await authenticator.evaluate(request, pin: pin())
    #expect(bench.commands.first == "INIT")
    #expect(bench.commands.dropFirst().count == 6, "\(bench.commands)")
    #expect(bench.count("INIT") == 1)
    #expect(bench.count("getInfo") == 1)
    #expect(bench.count("getAssertion") == 1)
    #expect(bench.plugged.trace.lines.count { $0 == "TOUCH" } == 1)
  }

  @Test func `Without the retries it takes 5`() async throws {
    let (bench, id) = try await bench { $0.readsPINRetries = false }
    let authenticator = try await bench.open()
    #expect(try await authenticator.holds([id], rpID: "keybackup:") == .yes(id))
    let request = PRFRequest(rpID: "keybackup:", credentialIDs: [id], first: .webAuthn([]))
    _ = try await authenticator.evaluate(request, pin: pin())
    #expect(bench.commands.dropFirst().count == 5, "\(bench.commands)")
  }

  @Test func `An evaluation alone takes 4`() async throws {
    let (bench, id) = try await bench { $0.readsPINRetries = false }
    let request = PRFRequest(rpID: "keybackup:", credentialIDs: [id], first: .webAuthn([]))
    _ = try await bench.open().evaluate(request, pin: pin())
    #expect(bench.commands.dropFirst().count == 4, "\(bench.commands)")
  }
}

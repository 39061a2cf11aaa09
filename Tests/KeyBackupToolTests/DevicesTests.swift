import Testing

@Suite struct DevicesTests {
  /// The harness itself: a program of Debian's sees the simulated key.
  @Test func otherProgramsSeeTheSimulatedKey() async throws {
    let box = try Sandbox()
    let seen = try await box.run(["fido2-token", "-L"])
    #expect(seen.code == 0, "\(seen.text)")
    #expect(seen.out.contains("/dev/hidraw0"))
  }
}

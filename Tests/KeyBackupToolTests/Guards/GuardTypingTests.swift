import Testing

/// Mistakes on the command line of `guard add`.
@Suite struct GuardTypingTests {
  @Test func `The flag for a PIN is no typed PIN, and a typed PIN is not repeated`() async throws {
    let box = try Sandbox()
    func run(_ arguments: [String]) async throws -> Outcome {
      try await box.keybackup(["guard", "add"] + arguments, key: nil, pin: .none, expecting: 64)
    }
    let lacking = try await run(["--pin", "--threshold", "1"])
    #expect(lacking.text.contains("--server") && !lacking.text.contains("never typed"))
    let typed = try await run(["--pin", "739182", "--threshold", "1"])
    #expect(typed.text.contains("never typed") && !typed.text.contains("739182"))
    let joined = try await run(["--pin=739182", "--threshold", "1"])
    #expect(joined.text.contains("never typed") && !joined.text.contains("739182"))
    let many = try await run(
      [
        "--pin", "--threshold", "1", "--server", "https://a.example", "--server",
        "https://b.example",
      ])
    #expect(
      many.text.contains(
        "--threshold must be more than half of the guards: with 2 guards it takes 2"))
    let plain = try await run(["--pin", "--threshold", "1", "--server", "http://a.example"])
    #expect(plain.text.contains("https://"))
  }
}

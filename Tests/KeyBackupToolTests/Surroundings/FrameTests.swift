import Testing

/// The compiler's work, where it was wrong once.
@Suite struct FrameTests {
  @Test func `No asynchronous function of the program writes behind its frame`() async throws {
    let outcome = try await Sandbox().run(
      [Build.root + "/scripts/check-frames", Build.keybackup], key: nil)
    outcome.expectSuccess()
  }
}

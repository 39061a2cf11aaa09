import Testing

/// The compiler's work, where it was wrong once.
@Suite struct FrameTests {
  @Test(arguments: ["", "-foreign", "-nostr", "-guard-commands"])
  func `No asynchronous function of a program writes behind its frame`(
    _ program: String
  ) async throws {
    let outcome = try await Sandbox().run(
      [Build.root + "/scripts/check-frames", Build.keybackup + program], key: nil)
    outcome.expectSuccess()
  }
}

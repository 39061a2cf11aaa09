import Testing

/// The picture of the demonstration in README shows what the program says today.
@Suite struct DemoPictureTests {
  @Test
  func `docs/demo.svg is what scripts/recording would make now`() async throws {
    let box = try Sandbox()
    let programs = box.root + "/programs"
    try Files.makeFolder(programs)
    try Files.link(programs + "/keybackup", to: Build.keybackup)
    try Files.link(programs + "/virtual-key", to: Build.virtualKey)
    let outcome = try await box.run(
      [Build.root + "/scripts/recording", "--check"], key: nil,
      environment: ["KEYBACKUP_PROGRAMS": programs])
    #expect(outcome.code == 0, "\(outcome.text)")
  }
}

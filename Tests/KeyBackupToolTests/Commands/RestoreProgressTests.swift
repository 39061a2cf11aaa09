import Testing

/// The progress bar of a restore of many wallets.
@Suite struct RestoreProgressTests {
  /// Wallets whose files are missing come back from the log.
  ///
  /// There are then more of them than the folder shows.
  @Test func `More wallets than files are no problem`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let entries = (0..<80).map { Samples.entry(id: "wallet-\($0)", name: "Number \($0)") }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    let files = Files.tree(box.folder).filter { $0.contains("/wallets/") }
    for file in files.prefix(20) { try Files.remove(box.folder + "/" + file) }
    let restored = try await box.keybackup(
      ["restore", "--out", box.root + "/out"], terminal: [.expect("Touch")])
    #expect(restored.out.contains("Restored 80 wallets"), "\(restored.text)")
    #expect(restored.screen.contains("of 60"), "\(restored.screen)")
    #expect(Files.tree(box.root + "/out").count == 80)
  }
}

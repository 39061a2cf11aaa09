import Testing

/// Where decrypted wallets may go.
@Suite struct RestorePlaceTests {
  /// There the sync program would carry the secrets to the cloud.
  @Test func notIntoTheSyncedFolder() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let before = try Files.contents(box.folder)
    try await box.run(
      ["ln", "-s", box.folder, box.root + "/link"], key: nil
    ).expectSuccess()
    let asked = try await box.traced {
      for place in [box.folder, box.folder + "/out", backup.place, box.root + "/link/out"] {
        let refused = try await box.keybackup(["restore", "--out", place], expecting: nil)
        expectFailure(refused, 73, says: "synced folder")
      }
      let shown = try await box.keybackup(
        ["wallet", "show", PreparedBackup.ids[0], "--out", box.folder + "/entry.json"],
        expecting: nil)
      expectFailure(shown, 73, says: "synced folder")
    }
    #expect(asked.isEmpty)
    #expect(try Files.contents(box.folder) == before)
    #expect(!Files.exists(box.folder + "/out"))
    try await box.keybackup(["restore", "--out", box.folder + "-restored"])
  }
}

extension Outcome {
  fileprivate func expectSuccess() { #expect(code == 0, "\(text)") }
}

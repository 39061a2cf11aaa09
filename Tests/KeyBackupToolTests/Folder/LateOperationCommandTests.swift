import Testing

/// A wallet's file that a sync program brought before the operation that wrote it.
@Suite struct LateOperationCommandTests {
  /// A backup of three wallets to which one computer added a fourth.
  ///
  /// A second computer has only that wallet's file.
  private static func prepared() async throws -> (PreparedBackup, SecondComputer) {
    let backup = try await PreparedBackup()
    let second = try SecondComputer(backup.box)
    try second.part()
    let before = Set(backup.wallets)
    try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "fourth", name: "Fourth").utf8))
    let view = try #require(backup.wallets.first { !before.contains($0) })
    try Files.copy(view, to: second.replica + view.dropFirst(backup.box.folder.count))
    return (backup, second)
  }

  @Test func `A removal stays when the operation arrives`() async throws {
    let (backup, second) = try await Self.prepared()
    let box = backup.box
    try await second.keybackup(["wallet", "remove", "fourth", "--yes"])
    try await second.join()

    let list = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(list["wallets"].items.count == 3)
    let deep = try await box.keybackup(["verify", "--deep"])
    #expect(!deep.out.contains("changed on another"))
    // Another reader of the format says the same.
    let read = try await backup.readByPython()
    #expect(read["live"].names.count == 3)
  }

  @Test func `A replaced wallet does not come back as a conflict`() async throws {
    let (backup, second) = try await Self.prepared()
    let box = backup.box
    try await second.keybackup(
      ["wallet", "import", "-"], input: Samples.entry(id: "fourth", name: "Newer"))
    try await second.join()
    let list = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(list["wallets"].items.map { $0["name"].text }.contains("Newer"))
    #expect(list["wallets"].items.count == 4)
    #expect(list["wallets"].items.allSatisfy { $0["state"].text != "conflict" })
  }
}

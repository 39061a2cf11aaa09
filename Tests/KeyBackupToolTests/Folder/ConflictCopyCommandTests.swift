import TestSupport
import Testing

/// Copies that sync programs made of every file, as the commands see them.
@Suite struct ConflictCopyCommandTests {
  private func copyEverything(
    _ backup: PreparedBackup, _ names: ConflictNames, removing: Bool
  ) throws {
    for path in Files.tree(backup.place) {
      let parts = path.split(separator: "/").map(String.init)
      let folder = ([backup.place] + parts.dropLast()).joined(separator: "/")
      try Files.copy(
        "\(backup.place)/\(path)", to: folder + "/" + names.copy(of: parts.last ?? ""))
      if removing { try Files.remove("\(backup.place)/\(path)") }
    }
  }

  @Test(
    arguments: [ConflictNames.dropbox, .syncthing, .googleDrive, .rclonePath2, .seafile],
    [false, true])
  func `Copies of every file change nothing, and are enough`(
    _ names: ConflictNames, onlyCopiesAreLeft: Bool
  ) async throws {
    let backup = try await PreparedBackup()
    try copyEverything(backup, names, removing: onlyCopiesAreLeft)
    let before = try Files.contents(backup.box.folder)

    let verified = try await backup.box.keybackup(["verify", "--json"], key: nil, pin: .none).json()
    #expect(verified["wallets"]["unreadable"].number == 0)
    #expect(verified["wallets"]["incomplete"].number == 0)
    let deep = try await backup.box.keybackup(["verify", "--deep", "--json"]).json()
    #expect(deep["wallets"]["current"].number == 3)
    #expect(deep["keys"].number == 1)
    let listed = try await backup.box.keybackup(["wallet", "list", "--json"]).json()
    #expect(listed["wallets"].items.count == 3)
    let out = backup.box.root + "/out"
    let restored = try await backup.box.keybackup(["restore", "--json", "--out", out]).json()
    #expect(restored["restored"].number == 3)
    #expect(Files.tree(out).count == 3)
    #expect(try Files.contents(backup.box.folder) == before)
  }
}

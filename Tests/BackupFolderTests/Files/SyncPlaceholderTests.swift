import Testing

@testable import BackupFolder

/// Names of sync programs' placeholders and partial downloads.
@Suite struct SyncPlaceholderTests {
  static let file = "wallet-0a.json"

  @Test(arguments: [
    ".wallet-0a.json.icloud", "wallet-0a.json.nextcloud", "wallet-0a.json.owncloud",
    ".syncthing.wallet-0a.json.tmp", "~syncthing~wallet-0a.json.tmp", "wallet-0a.json.!sync",
    "wallet-0a.json.part", "wallet-0a.json.partial", "wallet-0a.json.1a2b3c4d.partial",
    "wallet-0a.json.crdownload", "wallet-0a.json.tmp", "wallet-0a.json~",
    ".wallet-0a.json.~3f", ".wallet-0a.json.AbC123", "wallet-0a.json.filepart",
  ])
  func `A placeholder of a sync program stands for its file`(_ name: String) {
    #expect(SyncPlaceholder.awaited(name) == Self.file)
  }

  @Test(arguments: [
    "wallet-0a.json", "wallet-0a (1).json", "wallet-0a.sync-conflict-20260101-000000-ABCDEFG.json",
    "", ".", "~", ".icloud", ".json", ".json~", "..icloud", ".~", ".tmp", "x.tmp", "README~",
    ".keybackup-tmp-0123456789abcdef-0123456789abcdef", ".goutputstream-AB12CD", ".~tmp~",
    ".syncthing.tmp", "\u{301}.icloud",
  ])
  func `Other names are no placeholder`(_ name: String) {
    #expect(SyncPlaceholder.awaited(name) == nil)
  }

  @Test func `Only those beside their file are superfluous`() {
    let names = ["a.json", ".a.json.icloud", "b.json.part", "c.json~", "c.json"]
    #expect(SyncPlaceholder.superfluous(in: names) == [".a.json.icloud", "c.json~"])
  }
}

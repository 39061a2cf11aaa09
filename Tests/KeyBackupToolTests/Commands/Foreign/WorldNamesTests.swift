import SecretMemory
import Testing

@testable import ForeignCommands

/// The names of an archive's files in the backup.
@Suite struct WorldNamesTests {
  @Test func `Every file of an archive gets a name of its own`() {
    let plain = "A-b"
    let hash = Hex.string(SHA256.hash(Array(plain.utf8)))
    var names = WorldNames(accountID: "backup_account_0123456789")
    let given = [hash, "A/b", plain, "a-B"].map { names.name(of: $0) }
    #expect(Set(given.map { $0.lowercased() }).count == 4, "\(given)")
    #expect(given[1] == "world-app-23456789-A-b")
  }
}

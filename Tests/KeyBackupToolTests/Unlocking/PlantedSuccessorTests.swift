import BackupFolder
import CSPP
import Testing

@testable import Unlocking

/// Files with a key's credential that somebody put beside those that lead on after a rotation.
@Suite struct PlantedSuccessorTests {
  @Test func `They do not use up the touches`() async throws {
    let backup = try await PreparedBackup()
    for digit in 1...5 {
      try backup.plant { $0["prf_salt"] = String(repeating: "\(digit)", count: 64) }
    }
    let id = try #require(NamespaceID(hex: backup.namespaceID))
    let boxed = try #require(KeyID(hex: backup.keyID))
    let found = try Self.slots(backup.box)
    #expect(found.count == 6)
    #expect(SuccessionSearch.order(found, at: id, []).count == 4)
    // In another namespace, only key slots with a waiting box count, after one file of the right
    // one.
    let next = try await Self.slots(ThreeKeys().box)
    let order = SuccessionSearch.order(found + next, at: next[0].namespaceID, [boxed])
    #expect(order.map(\.keyID) == [next[0].keyID, boxed, next[1].keyID, next[2].keyID])
    // One salt costs one touch.
    #expect(SuccessionSearch.order(next + next, at: next[0].namespaceID, []).count == 3)
  }

  private static func slots(_ box: Sandbox) throws -> [KeySlot] {
    let folder = try BackupFolder.open(
      path: box.folder,
      settings: BackupFolder.Settings(stateFolder: box.root + "/state", writerLabel: "") { 1 })
    return try folder.namespace().scan().keySlots
  }
}

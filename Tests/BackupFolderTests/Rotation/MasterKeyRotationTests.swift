import CSPP
import Foundation
import SecretMemory
import Testing

@testable import BackupFolder

/// `rotate --master-key` and its effect on the folder: the namespace in charge, the keys that reach
/// it, and late changes.
struct MasterKeyRotationTests {
  @Test
  func `Everything is carried over, in several operations if it is large`() throws {
    let keys = try Keyring(operationSize: 700)
    var open = try keys.unlock(.blue)
    try open.add(.of("w1", "w2", "w3", "w4"))
    try open.add(.of("w1", words: "zoo zoo"))
    try open.remove([RecordID(walletID: "w4")])
    try open.addSensitive(Array("an identity".utf8), topic: "nostr")
    try keys.conflict("w2")
    open = try keys.unlock(.blue)
    let before = try open.restored()
    #expect(before.lines.count == 4)
    let old = open.id

    var rotation = try keys.rotate(.blue, as: .newBlue)
    #expect(rotation.wallets == 3 && rotation.versions == 4 && rotation.left.count == 1)
    let new = rotation.namespace.id
    #expect(new != old)
    let after = try rotation.namespace.restored()
    #expect(after.lines == before.lines)
    #expect(after.report.findings.isEmpty && after.report.counts[.late] == 0)
    #expect(try rotation.namespace.sensitiveTexts("nostr") == [Array("an identity".utf8)])
    #expect(rotation.namespace.log.index.nodes.count > 2, "one operation was enough")

    // The same computer knows the new namespace, without a key.
    #expect(try keys.scene.open().namespace().id == new)
    // The new key slot opens the new namespace on a computer that knows nothing.
    var other = try keys.unlock(.newBlue, at: new, "b")
    #expect(try other.restored().lines == before.lines)
    #expect(other.health.rolledBack + other.health.incomplete + other.health.forked == 0)
    // Nothing of the old namespace opens with the new master key.
    #expect(!other.log.keyFiles.keys.contains(Keyring.blue.keyID))
  }

  @Test
  func `A way in that was absent, also twice, gets there by its boxes`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    let first = open.id
    _ = try keys.rotate(.blue, as: .newBlue)
    let second = try keys.scene.open().namespace().id
    _ = try keys.rotate(.newBlue, as: .newerBlue)
    let third = try keys.scene.open().namespace().id
    #expect(Set([first, second, third]).count == 3)

    // The spare key has a file only in the first namespace.
    let refused = try keys.follow(.spare, at: first, "b")
    #expect(refused.obstacle == .uncompared(third))
    #expect(refused.namespace.id == first && refused.isSuperseded)
    var followed = try keys.follow(.spare, at: first, "b", compared: third)
    #expect(followed.obstacle == nil && followed.namespace.id == third && !followed.isSuperseded)
    #expect(try followed.namespace.restored().words == ["w1": "abandon about"])
    // After one comparison, that computer knows the namespace.
    followed = try keys.follow(.spare, at: first, "b")
    #expect(followed.namespace.id == third && followed.obstacle == nil)
    #expect(try keys.scene.open("b").namespace().id == third)

    let slot = try keys.slot(.spare, at: first)
    #expect(try followed.namespace.admit(slot, keys.secret(.spare)))
    #expect(try !followed.namespace.admit(slot, keys.secret(.spare)))
    #expect(followed.namespace.openedBy == Keyring.spare.keyID)
    #expect(try keys.folder("b").namespace(third).pendingKeySlots().isEmpty)
    var direct = try keys.unlock(.spare, at: third, "c")
    #expect(try direct.restored().words == ["w1": "abandon about"])
    // In the new namespace, there is nothing to compare.
    let trusted = try keys.follow(.spare, at: third, "d")
    #expect(trusted.obstacle == nil && trusted.namespace.id == third)
  }

  @Test
  func `A way in for which a box waits is known without a key, has a name, and can be removed`()
    throws
  {
    let keys = try Keyring()
    try keys.rotate(.blue, as: .newBlue)
    let new = try keys.scene.open().namespace()
    #expect(try new.pendingKeySlots().map(\.keyID) == [Keyring.spare.keyID])
    #expect(try new.pendingKeySlots().map(\.label) == ["Spare key"])
    #expect(try new.scan().keySlots.count == 1)
    // The earlier namespace's file of the key slot that was at hand does not count as a key slot.
    var open = try keys.unlock(.newBlue, at: new.id)
    #expect(try open.allKeySlots().independent.count == 2)
    try open.setLabel("In the safe", of: Keyring.spare.keyID)
    #expect(try new.pendingKeySlots().map(\.label) == ["In the safe"])
    // Another computer learns it with the first key that opens the backup there.
    let other = try keys.folder("b").namespace(new.id)
    #expect(try other.pendingKeySlots().isEmpty)
    _ = try keys.follow(.newBlue, at: new.id, "b")
    #expect(try other.pendingKeySlots().map(\.label) == ["In the safe"])

    try open.removeKeySlots([Keyring.spare.keyID])
    #expect(try new.pendingKeySlots().isEmpty && open.allKeySlots().count == 1)
    #expect(throws: BackupFolderError.lastKeySlot) {
      try open.removeKeySlots([Keyring.Way.newBlue.keyID])
    }
    // It no longer gets a file here, nor a box of the next rotation.
    let old = try #require(try keys.scene.open().namespaces().first { $0 != new.id })
    var followed = try keys.follow(.spare, at: old, "c", compared: new.id)
    let slot = try keys.slot(.spare, at: old)
    #expect(try !followed.namespace.admit(slot, keys.secret(.spare)))
    #expect(try keys.rotate(.newBlue, as: .newerBlue).left.isEmpty)
  }

  @Test
  func `A recovery kit that was absent gets there by its box, also without the CSPP envelopes`()
    throws
  {
    let keys = try Keyring()
    let kit = Enrolment(
      label: "Safe",
      kind: .recoveryCode(try .init(cost: Argon2id.Parameters(memoryKiB: 8, passes: 1))))
    let code = RecoveryCode.random()
    func secret(_ kind: KeyHeader.Kind) throws -> SecretBytes {
      guard case .recoveryCode(let derivation) = kind else { throw BackupFolderError.wrongKey }
      return try derivation.derive(code)
    }
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    let made = try secret(kit.kind)
    try open.addKeySlot(kit, secret: made, confirmedBy: made)
    let first = open.id
    var rotation = try keys.rotate(.blue, as: .newBlue)
    #expect(rotation.left.map(\.keyID).contains(kit.keyID))
    try rotation.namespace.add(.of("w2", words: "zoo zoo"))
    let second = rotation.namespace.id
    for id in [first, second] {
      try FileManager.default.removeItem(
        atPath: "\(keys.scene.folder)/cspp-namespaces/\(id)/\(FolderLayout.masterKeyFolder)")
    }

    func follow(_ computer: String, compared: NamespaceID?) throws -> ResolvedNamespace {
      let namespace = try keys.folder(computer).namespace(first)
      let slot = try #require(try namespace.scan().keySlots.first { $0.keyID == kit.keyID })
      return try namespace.follow(
        slot.unwrap(secret: secret(kit.kind)), by: kit.keyID,
        slots: [KeySlotSecret(kit.keyID, secret(kit.kind))], compared: compared)
    }
    var alone = try follow("b", compared: nil)
    #expect(alone.obstacle == .uncompared(second) && alone.namespace.id == first)
    #expect(try alone.namespace.restored().words == ["w1": "abandon about"])
    var all = try follow("b", compared: second)
    #expect(all.obstacle == nil && all.namespace.id == second)
    #expect(try all.namespace.restored().words == ["w1": "abandon about", "w2": "zoo zoo"])
  }

  @Test
  func `What an offline computer wrote late is shown, and adopted when it is written`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1", "w2"))
    _ = try keys.rotate(.blue, as: .newBlue)
    let new = try keys.scene.open().namespace().id
    // Computer b has not heard of it.
    let old = try #require(try keys.scene.open().namespaces().first { $0 != new })
    var late = try keys.unlock(.blue, at: old, "b")
    try late.add(.of("w3", words: "late late"))
    try late.add(.of("w1", words: "changed late"))
    try late.remove([RecordID(walletID: "w2")])

    open = try keys.unlock(.newBlue, at: new)
    var restored = try open.restored()
    #expect(
      restored.lines == [
        "w1 abandon about current", "w1 changed late late", "w2 abandon about current",
        "w3 late late late",
      ])
    #expect(restored.report.counts[.late] == 2 && restored.report.counts[.current] == 1)
    #expect(open.removedEarlier == [RecordID(walletID: "w2")])
    #expect(open.health.rolledBack + open.health.forked + open.health.incomplete == 0)

    try open.add(.of("w1", words: "newest"))
    restored = try open.restored()
    #expect(restored.words == ["w1": "newest", "w2": "abandon about", "w3": "late late"])
    // The late version is in the log now, and covered.
    #expect(open.log.index.history(of: RecordID(walletID: "w1")).count == 3)
    try open.remove([RecordID(walletID: "w3")])
    #expect(try open.restored().words.keys.sorted() == ["w1", "w2"])
    // Another rotation carries over what is still late.
    late = try keys.unlock(.blue, at: old, "b")
    try late.add(.of("w4", words: "very late"))
    _ = try keys.rotate(.newBlue, as: .newerBlue)
    open = try keys.unlock(.newerBlue, at: keys.scene.open().namespace().id, "c")
    restored = try open.restored()
    #expect(restored.words == ["w1": "newest", "w2": "abandon about", "w4": "very late"])
    #expect(restored.report.counts[.late] == 0)
  }

  @Test
  func `Of two rotations that did not know of each other the lowest ID wins`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    let root = open.id
    try keys.part()
    _ = try keys.rotate(.blue, as: .newBlue)
    let one = try keys.scene.open().namespace().id
    var first = try keys.unlock(.newBlue, at: one)
    try first.add(.of("w2"))
    _ = try keys.rotate(.spare, as: .newSpare, "b", keys.replica)
    let other = try keys.scene.open("b", keys.replica).namespace().id
    var second = try keys.unlock(.newSpare, at: other, "b", keys.replica)
    try second.add(.of("w3"))
    try keys.join()

    let (winner, loser) = one < other ? (one, other) : (other, one)
    let both: [(Keyring.Way, NamespaceID)] = [(.newBlue, one), (.newSpare, other)]
    // A user who opens the loser finds the way by its box; everything ends in the winner.
    let (slot, at) = both.first { $0.1 == loser } ?? both[0]
    var followed = try keys.follow(slot, at: at, "e", compared: winner)
    #expect(
      followed.obstacle
        == .noKey(winner, boxes: [slot == .newBlue ? Keyring.blue.keyID : Keyring.spare.keyID]))
    let box: Keyring.Way = slot == .newBlue ? .blue : .spare
    followed = try keys.follow(slot, at: at, "e", compared: winner, with: [keys.secret(box)])
    #expect(followed.namespace.id == winner && followed.obstacle == nil)
    #expect(try followed.namespace.restored().words.keys.sorted() == ["w1", "w2", "w3"])
    #expect(try followed.namespace.mergeRivals()?.removed == [])
    let again = try followed.namespace.mergeRivals()
    #expect(again == nil)
    // The winner's key alone now shows everything.
    let (winners, place) = both.first { $0.1 == winner } ?? both[0]
    var direct = try keys.follow(winners, at: place, "f")
    #expect(try direct.namespace.restored().words.keys.sorted() == ["w1", "w2", "w3"])
    let none = try direct.namespace.mergeRivals()
    #expect(none == nil)
    // And the loser's key slot finds a box of its own there.
    let late = try keys.follow(slot, at: at, "g", compared: winner)
    #expect(late.namespace.id == winner && late.obstacle == nil)
    #expect(root != winner)
  }

  /// What was added after the second of them must be found, or told.
  @Test func `A rotation beside the one in charge is followed to its end`() throws {
    for _ in 0..<40 {
      let keys = try Keyring()
      try keys.part()
      _ = try keys.rotate(.spare, as: .newSpare, "b", keys.replica)
      let charge = try keys.scene.open("b", keys.replica).namespace().id
      _ = try keys.rotate(.blue, as: .newBlue)
      let first = try keys.scene.open().namespace().id
      // The lowest ID is in charge.
      guard charge < first else { continue }
      var open = try keys.unlock(.newBlue, at: first)
      try keys.rotate(open: &open, .newBlue, as: .newerBlue)
      let second = try keys.scene.open().namespace().id
      open = try keys.unlock(.newerBlue, at: second)
      try open.add(.of("w9"))
      try keys.join()
      let start = try keys.folder("n").namespace(charge)
      let own = try keys.slot(.newSpare, at: charge, "n").unwrap(secret: keys.bytes(.newSpare))
      let ends: [(Keyring.Way, NamespaceID)] = [(.newBlue, first), (.newerBlue, second)]
      for count in 0...2 {
        let others = try ends.prefix(count).map { way, id in
          SharedMasterKey(try keys.slot(way, at: id, "n").unwrap(secret: keys.bytes(way)))
        }
        var found = try start.follow(
          own.copy(), by: Keyring.Way.newSpare.keyID, slots: [keys.secret(.newSpare)],
          keys: others)
        #expect(found.namespace.id == charge)
        #expect(found.unreadRival?.namespaceID == (count < 2 ? ends[count].1 : nil), "\(count)")
        let unread = found.namespace.health.unreadRotation
        #expect(unread == found.unreadRival?.namespaceID)
        let mayLose = found.namespace.mayLoseEarlier
        if count < 2 { #expect(!mayLose) }
        #expect(try found.namespace.restored().words.keys.contains("w9") == (count == 2))
      }
      return
    }
    Issue.record("no such order of IDs")
  }

  /// Operations that name other namespaces stay of one that is deleted.
  ///
  /// An older program wrote such operations
  /// with wallets in them.
  @Test(arguments: [false, true])
  func `What stays of a backup in between brings back no removed wallet`(_ isOlder: Bool) throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    let first = SharedMasterKey(open.masterKey.copy())
    let middle = try keys.rotate(.blue, as: .newBlue).take().id
    open = try keys.unlock(.newBlue, at: middle)
    if isOlder {
      let run = try WritingRun.begin(open.namespace.state(make: true))
      let batch: WalletBatch = try .of("w2")
      let entry = batch.withEntry(0) { SecretBytes(copying: $0) }
      try open.publish(at: 1_700_000_000, run: run) { operation in
        operation.from(first.key)
        operation.put(RecordID(walletID: "w2"), entry: entry)
      }
      open = try keys.unlock(.newBlue, at: middle)
    }
    for wallet in try open.restored().words.keys { try open.remove([RecordID(walletID: wallet)]) }
    let last = try keys.rotate(.newBlue, as: .newerBlue).take().id
    open = try keys.unlock(.newerBlue, at: last)
    #expect(try open.restored().words.isEmpty)
    #expect(open.wouldBringBackWallets == isOlder)
  }
}

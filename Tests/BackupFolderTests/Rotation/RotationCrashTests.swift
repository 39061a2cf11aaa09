import CSPP
import Foundation
import Testing

@testable import BackupFolder

/// Kills `rotate --master-key` at every change of a file in turn, in the folder and in the local
/// state (Tests/CFileChanges).
struct RotationCrashTests {
  static let words = ["w1": "abandon about", "w2": "zoo zoo"]

  @Test
  func `Killed at every change, everything opens, and the next run finishes`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    try open.add(.of("w2", words: "zoo zoo"))
    try open.addSensitive(Array("an identity".utf8), topic: "nostr")
    let old = open.id
    try keys.scene.keep()
    var points = 0
    while true {
      try keys.scene.reset()
      let died = FileChanges.dying(at: points) { try keys.rotate(.blue, as: .newBlue) }
      if !died { break }
      try Self.check(keys, old, "killed at change \(points)")
      points += 1
    }
    print("rotate --master-key: killed at \(points) changes")
    #expect(points > 40)
  }

  @Test
  func `Interrupted twice, by another key or for good, nothing is left lying about`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    try open.add(.of("w2", words: "zoo zoo"))
    let old = open.id
    try keys.scene.keep()
    for first in stride(from: 1, to: 400, by: 23) {
      try keys.scene.reset()
      guard FileChanges.dying(at: first, { try keys.rotate(.blue, as: .newBlue) }) else { break }
      guard try keys.isInCharge(old) else { continue }
      // Another key cannot continue: it starts over, and is killed halfway.
      let died = FileChanges.dying(at: first / 2) { try keys.rotate(.spare, as: .newSpare) }
      #expect(died)
      let point: Comment = "killed at \(first), then at \(first / 2)"
      var spare = try keys.follow(.spare, at: old, "a").take()
      #expect(try spare.restored().words == Self.words, point)
      let rotation = try keys.rotate(.spare, as: .newSpare)
      #expect(rotation.left.map(\.keyID) == [Keyring.blue.keyID], point)
      #expect(try keys.folder("a").namespaces().count == 2, point)
      #expect(try keys.folder("a").vanishedNamespaces() == [], point)
    }
  }

  @Test
  func `What an interrupted rotation had copied and is outdated since is not shown as late`() throws
  {
    var points = 0
    var copies = 0
    while true {
      let keys = try Keyring()
      var open = try keys.unlock(.blue)
      try open.add(.of("w1", words: "outdated"))
      try open.add(.of("w2", words: "zoo zoo"))
      try open.add(.of("w3", words: "removed"))
      let old = open.id
      try keys.part()
      var there = try keys.unlock(.blue, at: old, "b", keys.replica)
      try there.add(.of("w1"))
      try there.remove([RecordID(walletID: "w3")])
      // Computer a knows of neither change, and carries over what it knows.
      let died = FileChanges.dying(at: points) { try keys.rotate(.spare, as: .newSpare) }
      let copy = try keys.folder("a").namespaces().first { $0 != old }
      if try !died || !keys.isInCharge(old) { break }
      let new = try keys.rotate(.blue, as: .newBlue, "b", keys.replica).take().id
      try keys.join()
      let point: Comment = "killed at change \(points)"
      // One reader opens only the finished namespace, the other opens both.
      var one = try keys.follow(.newBlue, at: new, "c")
      #expect(try one.namespace.restored().words == Self.words, point)
      if let copy, (try? keys.slot(.newSpare, at: copy)) != nil {
        copies += 1
        var both = try keys.followed(.spare, from: old, "d", compared: new)
        #expect(both.namespace.id == new && both.obstacle == nil, point)
        let restored = try both.namespace.restored()
        #expect(restored.words == Self.words, point)
        #expect(restored.report.counts[.late] == 0, point)
        try both.namespace.add(.of("w1", words: "newer"))
        #expect(try both.namespace.restored().words["w1"] == "newer", point)
        #expect(both.namespace.log.index.history(of: RecordID(walletID: "w1")).count == 2, point)
      }
      // Computer a tidies up after itself.
      var own = try keys.followed(.spare, from: old, "a", compared: new)
      let gone = try own.namespace.discardOvertaken()
      // Or there is a folder that nobody would take for a namespace yet.
      #expect(copy.map { gone == [$0] } ?? (gone.count <= 1), point)
      #expect(try keys.folder("a").namespaces().count == 2, point)
      #expect(try keys.folder("a").namespace().id == new, point)
      #expect(try own.namespace.restored().words.keys.sorted() == ["w1", "w2"], point)
      points += 1
    }
    #expect(points > 20 && copies > 10, "\(points) points, \(copies) copies")
  }

  /// Checks that everything opens, and that the next run finishes.
  static func check(_ keys: Keyring, _ old: NamespaceID, _ name: String) throws {
    let point = Comment(rawValue: name)
    let candidates = try keys.folder("a").candidates()
    #expect(!candidates.known.isEmpty || !candidates.unknown.isEmpty, point)
    // In every state, both key slots open everything: on this computer, and on one that knows
    // nothing.
    for (computer, slot) in [("a", Keyring.Way.blue), ("b", .spare)] {
      let all = try keys.everything(slot, from: old, computer)
      #expect(all.words == Self.words, "\(name): \(slot.label) at \(computer): \(all)")
      #expect(all.report.counts[.late] + all.report.counts[.unreadable] == 0, point)
    }
    #expect(try keys.folder("a").vanishedNamespaces() == [], point)
    _ = try keys.folder("a").namespace()
    if try keys.isInCharge(old) { try keys.rotate(.blue, as: .newBlue) }
    let ids = try keys.folder("a").namespaces()
    #expect(ids.count == 2, "\(name): \(ids)")
    let new = try #require(ids.first { $0 != old })
    #expect(try keys.folder("a").namespace().id == new, point)
    #expect(try keys.folder("a").namespace(old).unfinishedRotation() == nil, point)
    var followed = try keys.follow(.newBlue, at: new, "a").take()
    try followed.repair()
    let restored = try followed.restored()
    #expect(restored.words == Self.words && restored.report.counts[.current] == 2, point)
    #expect(try followed.sensitiveTexts("nostr") == [Array("an identity".utf8)], point)
    #expect(followed.health.rolledBack + followed.health.forked == 0, point)
    #expect(followed.health.incomplete == 0 && followed.logFindings.isEmpty, point)
    var spare = try keys.follow(.spare, at: old, "c", compared: new)
    #expect(spare.namespace.id == new && spare.obstacle == nil, point)
    #expect(try spare.namespace.restored().words == Self.words, point)
  }
}

extension Keyring {
  /// Whether the first namespace has no successor yet.
  func isInCharge(_ old: NamespaceID) throws -> Bool {
    var open = try unlock(.spare, at: old)
    try open.readAgain()
    return open.log.links.successors.isEmpty
  }

  /// Everything that a user with a key gets by comparing, touching again and reading.
  func everything(_ slot: Way, from old: NamespaceID, _ computer: String) throws -> Restored {
    var followed = try self.followed(slot, from: old, computer)
    return try followed.namespace.restored()
  }

  func followed(
    _ slot: Way, from old: NamespaceID, _ computer: String, compared: NamespaceID? = nil
  ) throws -> ResolvedNamespace {
    let others = try folder(computer).namespaces().filter { $0 != old }
    var keys: [SharedMasterKey] = []
    for id in others {
      let namespace = try folder(computer).namespace(id)
      for found in (try? namespace.scan())?.keySlots ?? []
      where found.credentialID == [slot.credential] {
        let new: Way = slot.credential == 1 ? .newBlue : .newSpare
        if let key = try? found.unwrap(secret: bytes(new)) { keys.append(SharedMasterKey(key)) }
      }
    }
    let namespace = try folder(computer).namespace(old)
    let key = try self.slot(slot, at: old, computer).unwrap(secret: bytes(slot))
    var followed = try namespace.follow(
      key, by: slot.keyID, slots: [secret(slot)], keys: keys, compared: compared ?? others.first)
    followed.remember()
    return followed
  }
}

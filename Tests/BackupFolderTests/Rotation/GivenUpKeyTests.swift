import CSPP
import Foundation
import SecretMemory
import Testing

@testable import BackupFolder

/// The master key was rotated because a thief has the old one and can write to the folder.
///
/// Whatever the thief writes there, the new namespace stays in charge and its key stays secret.
struct GivenUpKeyTests {
  /// A rotated backup, and the thief's secrets.
  private final class Theft {
    let keys: Keyring
    let old: NamespaceID
    let new: NamespaceID

    init() throws {
      keys = try Keyring()
      var open = try keys.unlock(.blue)
      try open.add(.of("w1"))
      old = open.id
      new = try keys.rotate(.blue, as: .newBlue).take().id
    }

    /// The thief's own program, with the old master key.
    func thief() throws -> OpenNamespace { try keys.unlock(.blue, at: old, "thief") }

    /// Writes into the old log.
    func write(_ change: (inout OperationBuilder) -> Void) throws {
      var open = try thief()
      let run = try WritingRun.begin(open.namespace.state(make: true))
      try open.publish(at: 1_700_000_000, run: run, change)
    }

    /// A namespace that the thief made, in the same folder.
    func made(below limit: NamespaceID? = nil) throws -> OpenNamespace {
      while true {
        let place = keys.scene.base + "/thief-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let secret = keys.bytes(.newSpare)
        let made = try keys.folder("thief", place).create(
          Keyring.Way.newSpare.enrolment, prfOutput: secret, confirmedBy: secret)
        if let limit, made.id > limit { continue }
        let name = "/cspp-namespaces/\(made.id)"
        try FileManager.default.copyItem(atPath: place + name, toPath: keys.scene.folder + name)
        return try keys.unlock(.newSpare, at: made.id, "thief")
      }
    }

    /// Checks that nothing has changed for a user who opens the new namespace, here and elsewhere.
    func check(_ obstacle: SuccessionObstacle? = nil, _ at: SourceLocation = #_sourceLocation)
      throws
    {
      for computer in ["a", "elsewhere"] {
        var followed = try keys.follow(.newBlue, at: new, computer)
        #expect(followed.namespace.id == new, sourceLocation: at)
        #expect(followed.obstacle == obstacle && !followed.isSuperseded, sourceLocation: at)
        let words = try followed.namespace.restored().words
        #expect(words["w1"] == "abandon about", sourceLocation: at)
        _ = try followed.namespace.mergeRivals()
        try followed.namespace.repair()
        #expect(try keys.folder(computer).namespace().id == new, sourceLocation: at)
      }
    }
  }

  @Test
  func `A namespace that the old one is said to follow is not in charge, and gets no key`() throws {
    let theft = try Theft()
    let made = try theft.made()
    try theft.write { $0.from(made.masterKey) }
    try theft.check()
    let again = try theft.keys.unlock(.newSpare, at: made.id, "thief")
    #expect(again.log.links.earlier.isEmpty && again.log.index.nodes.count == 1)
  }

  @Test(arguments: [true, false])
  func `What the old key still writes hides no wallet that came late`(_ removes: Bool) throws {
    let theft = try Theft()
    var offline = try theft.keys.unlock(.blue, at: theft.old, "offline")
    try offline.add(.of("w2", words: "zoo zoo"))
    if removes {
      try theft.write { $0.remove(RecordID(walletID: "w2")) }
    } else {
      var thief = try theft.thief()
      try thief.add(.of("w2", words: "thief words"))
    }
    for computer in ["a", "elsewhere"] {
      var followed = try theft.keys.follow(.newBlue, at: theft.new, computer)
      let shown = try followed.namespace.restored().lines
      #expect(shown.contains("w2 zoo zoo late"), "\(shown)")
      #expect(shown.contains("w1 abandon about current"))
    }
    // A computer that writes takes the wallet over.
    var new = try theft.keys.follow(.newBlue, at: theft.new, "a").take()
    let late = VersionID(
      digest: try #require(new.lateValues(of: RecordID(walletID: "w2")).first))
    #expect(try new.keep(late, of: RecordID(walletID: "w2")))
    #expect(try new.restored().report.counts[.late] == 0)
  }

  @Test
  func `What was superseded before the rotation does not come back by it`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1", "w2"))
    var other = try keys.unlock(.blue, at: open.id, "other")
    try other.add(.of("w1", words: "zoo zoo"))
    try open.readAgain()
    try open.remove([RecordID(walletID: "w2")])
    var new = try keys.rotate(.blue, as: .newBlue).take()
    #expect(try new.restored().lines == ["w1 zoo zoo current"])
  }

  @Test
  func `A successor that is claimed takes nothing over, whatever its ID`() throws {
    let theft = try Theft()
    var made = try theft.made(below: theft.new)
    var thief = try theft.thief()
    let run = try WritingRun.begin(thief.namespace.state(make: true))
    try made.logFrom(thief.masterKey, run: run)
    let slot = try theft.keys.slot(.newBlue, at: theft.new)
    var left: [PendingKeySlot] = []
    for case .wrapper(let wrapper) in slot.sources {
      left.append(
        PendingKeySlot(
          keyID: wrapper.header.keyID, label: "", isGuarded: false, recipient: wrapper.recipient))
    }
    let last = try #require(made.log.index.tips().first)
    try thief.move(to: made.id, made.masterKey, last: last, leaving: left, run: run)
    try theft.check(.uncompared(made.id))
  }

  @Test
  func `Without the word that it was followed, the old namespace is not in charge again`() throws {
    let theft = try Theft()
    let thief = try theft.thief()
    for node in thief.log.links.nodes {
      let reference = thief.log.index.nodes[node].reference
      let name = FolderLayout.operationFile(
        counter: reference.counter, digest: reference.digest)
      try FileManager.default.removeItem(
        atPath: theft.keys.scene.folder
          + "/cspp-namespaces/\(theft.old)/keybackup/log/\(reference.writerID)/\(name)")
    }
    // Computer a knows the successor, even when the old namespace is opened.
    let followed = try theft.keys.follow(.spare, at: theft.old, "a")
    #expect(followed.namespace.id == theft.old && followed.isSuperseded)
    #expect(followed.obstacle == .notHere(theft.new))
    try theft.check()
  }

  @Test
  func `Who gets a box of the next rotation, the old log does not say`() throws {
    let theft = try Theft()
    let thief = try theft.thief()
    let new = try theft.keys.unlock(.newBlue, at: theft.new)
    let last = try #require(new.log.index.tips().first)
    // A key of the thief, for which a box is said to wait; the spare is revoked.
    let slot = Keyring.Way.newSpare
    let file = try KeyWrapper.seal(
      thief.masterKey, secret: theft.keys.bytes(slot),
      header: KeyHeader(
        namespaceID: theft.old, keyID: slot.keyID, kind: slot.enrolment.kind, label: "Spare key",
        createdAt: 1))
    try theft.write { operation in
      operation.keyAdd(slot.keyID, file: file.span)
      operation.keyRemove(Keyring.spare.keyID)
      operation.moved(
        to: theft.new, boxes: [.init(keyID: slot.keyID, box: [UInt8](repeating: 1, count: 80))],
        last: last)
    }
    try theft.check()
    let rotation = try theft.keys.rotate(.newBlue, as: .newerBlue)
    #expect(rotation.left.map(\.keyID) == [Keyring.spare.keyID])
    #expect(rotation.namespace.keySlotsWithoutFile.map(\.keyID) == [Keyring.spare.keyID])
    let newest = rotation.namespace.id
    var spare = try theft.keys.follow(.spare, at: theft.old, "c", compared: newest)
    #expect(spare.namespace.id == newest)
    #expect(try spare.namespace.restored().words == ["w1": "abandon about"])
  }
}

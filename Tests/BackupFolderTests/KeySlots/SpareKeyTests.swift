import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Enrolling, naming and removing key slots.
struct SpareKeyTests {
  let scene: Scene
  let a = SpareKey(name: 0xA)
  let b = SpareKey(name: 0xB)
  let c = SpareKey(name: 0xC)

  init() throws { scene = try Scene(inMemory: true) }

  @Test func `Every key opens the backup`() throws {
    let first = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    let third = try scene.add(c, openedWith: b)
    #expect(Set(try scene.slots().keys) == [first, second, third])
    for (key, id) in [(a, first), (b, second), (c, third)] {
      let open = try scene.open(with: key, computer: "x")
      #expect(open.openedBy == id)
      #expect(open.health.rolledBack + open.health.forked + open.health.incomplete == 0)
    }
    #expect(try scene.slots().values.map(\.self).independent.count == 3)
  }

  @Test func `A secret that was not reproduced is not enrolled`() throws {
    _ = try scene.create(with: a)
    let before = try Scene.contents(scene.folder)
    var open = try scene.open(with: a)
    let enrolment = b.enrolment()
    #expect(throws: BackupFolderError.evaluationsDiffer) {
      try open.addKeySlot(
        enrolment, secret: b.output(enrolment), confirmedBy: c.output(enrolment))
    }
    #expect(try Scene.contents(scene.folder) == before)
  }

  @Test func `A name goes into the log and is known without a key`() throws {
    let id = try scene.create(with: a)
    for name in ["Büro", "safe"] {
      var open = try scene.open(with: a)
      try open.setLabel(name, of: id)
      #expect(try scene.slots()[id]?.label == name)
    }
    // Another computer learns the label when it has opened the log.
    #expect(try scene.slots("b")[id]?.label == "key 10")
    for _ in 1...2 {
      var other = try scene.open(with: a, computer: "b", for: .writing)
      try other.repair()
      #expect(try other.keySlots().first?.label == "safe")
    }
    #expect(try scene.slots("b")[id]?.label == "safe")
    var open = try scene.open(with: a)
    #expect(throws: BackupFolderError.noSuchKeySlot) { try open.setLabel("x", of: .random()) }
  }

  /// One security key may have several slots, and an interrupted run must not leave two names.
  @Test func `Several key slots get a name in one operation, or none does`() throws {
    let keys = [try scene.create(with: a), try scene.add(b, openedWith: a)]
    var open = try scene.open(with: a)
    let before = open.log.index.names.count
    try open.setLabel("safe", ofAll: Set(keys))
    let after = open.log.index.names.count
    #expect(after == before + 1)
    let other = try scene.open(with: a, computer: "b")
    #expect(try other.keySlots().map(\.label) == ["safe", "safe"])
    let files = try Scene.contents(scene.folder)
    #expect(throws: BackupFolderError.noSuchKeySlot) {
      try open.setLabel("x", ofAll: Set(keys + [.random()]))
    }
    #expect(try Scene.contents(scene.folder) == files)
  }

  @Test func `When a key slot was proved is remembered`() throws {
    let first = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    #expect(try scene.slots()[first]?.provedAt == 1_700_000_000)
    // That it was made here proves nothing.
    #expect(try scene.slots()[second]?.provedAt == nil)
    let files = try Scene.contents(scene.folder)
    #expect(try scene.slots("b")[second]?.provedAt == nil)
    _ = try scene.open(with: b, computer: "b")
    #expect(try scene.slots("b")[second]?.provedAt == 1_700_000_000)
    #expect(try scene.slots("b")[first]?.provedAt == nil)
    #expect(try Scene.contents(scene.folder) == files, "reading wrote to the folder")
  }

  // MARK: Removing

  @Test func `The envelope moves with the removal of its key`() throws {
    let first = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    try scene.add(c, openedWith: a)
    #expect(try scene.envelopeOwner([a]) == first)
    var open = try scene.open(with: b)
    try open.removeKeySlots([first])
    #expect(open.viewProblem == nil)
    #expect(try scene.slots()[first] == nil)
    #expect(try scene.envelopeOwner([b]) == second)
    #expect(throws: BackupFolderError.wrongKey) { _ = try scene.open(with: a) }
    let other = try scene.open(with: c, computer: "x")
    #expect(other.removedKeys == [first])
  }

  @Test func `The key slot that opens is not removed and the last only when asked`() throws {
    let first = try scene.create(with: a)
    var open = try scene.open(with: a)
    #expect(throws: BackupFolderError.lastKeySlot) { try open.removeKeySlots([first]) }
    let second = try scene.add(b, openedWith: a)
    var again = try scene.open(with: a)
    #expect(throws: BackupFolderError.opensByRemoved) { try again.removeKeySlots([first]) }
    #expect(throws: BackupFolderError.noSuchKeySlot) { try again.removeKeySlots([.random()]) }
    try again.removeKeySlots([second])
    try again.removeKeySlots([first], allowingLast: true)
    #expect(throws: (any Error).self) { _ = try scene.slots() }
    let kept = try FileManager.default.contentsOfDirectory(atPath: scene.keysFolder)
    #expect(kept == [])
  }

  @Test func `The envelope of a removed key needs another keys touch`() throws {
    let first = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    // The master key was known to this computer, so there is no secret to seal the envelope with.
    let namespace = try scene.open().namespace()
    let slot = try #require(try scene.slots()[second])
    var open = try namespace.open(slot.unwrap(secret: b.output(slot.prfSalt)))
    let before = try Scene.contents(scene.folder)
    #expect(throws: BackupFolderError.envelopeNeedsSecurityKey) {
      try open.removeKeySlots([first])
    }
    #expect(try Scene.contents(scene.folder) == before)
    // The other key's files stay until a run with a key slot that is not removed.
    try open.removeKeySlots([second])
    #expect(try scene.slots()[second]?.isRemoved == true)
    var own = try scene.open(with: a)
    try own.repair()
    #expect(try scene.slots()[second] == nil)
    #expect(try scene.envelopeOwner([a]) == first)
  }

  /// A sync program may bring it back under any name.
  @Test(arguments: [nil, "copy (1).json", "x.sync-conflict-20260101-120000-ABC.json"])
  func `A removed keys file that comes back is shown and removed`(name: String?) throws {
    let first = try scene.create(with: a)
    try scene.add(b, openedWith: a)
    let file = try scene.keysFolder + "/\(first).json"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let envelope = try Data(contentsOf: URL(fileURLWithPath: scene.envelopePath))
    var open = try scene.open(with: b)
    try open.removeKeySlots([first])
    let back = try name.map { try scene.keysFolder + "/" + $0 } ?? file
    try bytes.write(to: URL(fileURLWithPath: back))
    try envelope.write(to: URL(fileURLWithPath: scene.envelopePath))
    #expect(try scene.slots()[first]?.isRemoved == true)
    #expect(try scene.slots().values.map(\.self).independent.count == 1)
    // It opens, so that nobody is locked out, but deletes nothing.
    var own = try scene.open(with: a, computer: "x")
    #expect(own.openedBy == first)
    try own.repair()
    #expect(FileManager.default.fileExists(atPath: back))
    var other = try scene.open(with: b)
    try other.repair()
    #expect(!FileManager.default.fileExists(atPath: back))
    #expect(try scene.slots()[first] == nil)
    _ = try scene.envelopeOwner([b])
  }

  // MARK: Rotation

  @Test(arguments: [false, true])
  func `A rotated keys old key slot goes once the new one is proved`(newCredential: Bool) throws {
    let first = try scene.create(with: a)
    try scene.add(b, openedWith: a)
    let enrolment = a.enrolment(
      salt: 2, replaces: first, credential: newCredential ? 9 : 0)
    var open = try scene.open(with: a)
    try open.addReplacement(enrolment, secret: a.output(enrolment))
    #expect(try scene.envelopeOwner([a]) == first)
    #expect(Set(try scene.slots().keys).isSuperset(of: [first, enrolment.keyID]))
    #expect(try scene.slots().values.map(\.self).independent.count == 2)
    #expect(try scene.slots()[enrolment.keyID]?.provedAt == nil)
    // Neither the old slot nor another key completes it.
    for (key, id) in [(a, first as KeyID?), (b, nil)] {
      var other = try scene.open(with: key, id)
      try other.repair()
      #expect(try scene.slots()[first] != nil)
    }
    var new = try scene.open(with: a, enrolment.keyID)
    try new.repair()
    #expect(new.finishedRotations == [first])
    #expect(try scene.slots()[first] == nil)
    #expect(try scene.envelopeOwner([a]) == enrolment.keyID)
    #expect(throws: BackupFolderError.wrongKey) { _ = try scene.open(with: a, first) }
  }

  /// Anyone who writes to the folder must not choose which key slot a key replaces.
  @Test func `A planted header removes nobody`() throws {
    let first = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    let file = try scene.keysFolder + "/\(first).json"
    var text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    let header = try KeyWrapper(parsing: Array(text.utf8).span, at: nil).header
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let protected = try #require(object["protected"] as? String)
    let planted = try header.json(recipient: [UInt8](repeating: 0, count: 32))
      .replacing("\"rp_id\"", with: "\"replaces\":\"\(second)\",\"rp_id\"")
    let encoded = Data(planted.utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    text = text.replacing(protected, with: encoded)
    try Data(text.utf8).write(to: URL(fileURLWithPath: try scene.keysFolder + "/0.json"))
    #expect(try scene.slots("b")[first]?.replaces == second)
    // This computer knows the file's claim.
    #expect(try scene.slots()[first]?.replaces == nil)
    var open = try scene.open(with: a)
    try open.repair()
    #expect(open.finishedRotations == [])
    #expect(open.removedKeys == [])
    #expect(try scene.slots()[second] != nil)
  }
}

import Foundation
import SecretMemory
import Testing

@testable import BackupFolder
@testable import CSPP

/// Ways in that need guards: what they open, and what they never count as.
struct GuardedKeySlotTests {
  @Test(arguments: [GuardedWay.pin.isPIN, GuardedWay.login.isPIN])
  func `Its file is listed without a key, and opens the backup on any computer`(
    isPIN: Bool
  ) throws {
    let way = isPIN ? GuardedWay.pin : .login
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    try open.add(way)
    let slot = try keys.slot(way)
    #expect(slot.isGuarded && slot.isEnrolled == true && !slot.needsRenewal)
    #expect(slot.guardThreshold == GuardThreshold(of: 3, needing: 2))
    #expect(slot.guardURLs.map(\.host) == [String](repeating: "guard.example:8443", count: 3))
    #expect(slot.rpID == nil && slot.credentialID == nil && slot.prfSalt.isEmpty)
    var other = try keys.unlock(way, "b")
    #expect(try other.restored().words == ["w1": "abandon about"])
    #expect(other.openedBy == way.keyID)
    #expect(try keys.slot(way, "b").isEnrolled == true)
    #expect(throws: BackupFolderError.wrongKey) { _ = try slot.unwrap(secret: keys.bytes(.blue)) }
  }

  @Test func `It never counts as a way in, also after it has opened the backup`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.pin)
    try open.add(.login)
    _ = try keys.unlock(.pin)
    let slots = try keys.folder("a").namespace().scan().keySlots
    #expect(slots.count == 4)
    #expect(try keys.slot(.pin).provedAt != nil)
    #expect(
      Set(slots.filter(\.counts).compactMap(\.keyID)) == [Keyring.blue.keyID, Keyring.spare.keyID])
    #expect(slots.filter(\.counts).independent.count == 2)
  }

  @Test func `Guards are not the only way in, and take the place of no other kind`() throws {
    let scene = try Scene(inMemory: true)
    let guards = BackupFolderError.guardsAlone
    let way = GuardedWay.pin
    #expect(throws: guards) {
      _ = try scene.open().create(
        way.enrolment(), prfOutput: way.secret(), confirmedBy: way.secret())
    }
    #expect(try scene.open().namespaces().isEmpty)
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    let before = try Scene.contents(keys.scene.folder)
    for replaced in [Keyring.blue.keyID, Keyring.spare.keyID, KeyID(words: [9, 9])] {
      let replacing = GuardedWay(keyID: way.keyID, replaces: replaced)
      #expect(throws: guards) { try open.add(replacing) }
      // It is known before guards have made accounts for it.
      #expect(throws: guards) { try open.requireOtherKind(besideHeirOf: replaced) }
    }
    try open.requireOtherKind(besideHeirOf: nil)
    #expect(throws: guards) {
      _ = try open.rotateMasterKey(
        to: way.enrolment(), secret: way.secret(), atHand: Keyring.blue.keyID)
    }
    #expect(try Scene.contents(keys.scene.folder) == before)
  }

  @Test func `The last way in that needs no guards stays, unless a person wants it`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.pin)
    try open.removeKeySlots([Keyring.spare.keyID])
    var other = try keys.unlock(.pin, for: .writing)
    #expect(throws: BackupFolderError.lastKeySlot) {
      try other.removeKeySlots([Keyring.blue.keyID])
    }
    try other.removeKeySlots([Keyring.blue.keyID], allowingLast: true)
    #expect(try keys.folder("a").namespace().scan().keySlots.map(\.keyID) == [GuardedWay.pin.keyID])
    #expect(throws: BackupFolderError.guardsAlone) { try other.add(.login) }
    #expect(throws: BackupFolderError.guardsAlone) {
      try other.requireOtherKind(besideHeirOf: nil)
    }
    // The guards' own goes like any other.
    let again = try Keyring()
    var own = try again.unlock(.blue)
    try own.add(.pin)
    try own.setLabel("Door", of: GuardedWay.pin.keyID)
    #expect(try again.slot(.pin).label == "Door")
    try own.removeKeySlots([GuardedWay.pin.keyID])
    let isEnrolled = own.isKeySlotEnrolled(GuardedWay.pin.keyID)
    #expect(!isEnrolled)
    #expect(own.removedKeys == [GuardedWay.pin.keyID])
    #expect(try !again.folder("a").namespace().scan().keySlots.contains { $0.isGuarded })
  }

  @Test func `A lost or damaged file is written again`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.pin)
    let path = "\(try keys.scene.keysFolder)/\(GuardedWay.pin.keyID).json"
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    for damage in [nil, Data("no JSON".utf8)] {
      try FileManager.default.removeItem(atPath: path)
      if let damage { try damage.write(to: URL(fileURLWithPath: path)) }
      var again = try keys.unlock(.blue)
      let isEnrolled = again.isKeySlotEnrolled(GuardedWay.pin.keyID)
      #expect(isEnrolled)
      try again.repairKeySlots()
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == file)
    }
  }

  /// As a run leaves it that ends between the file and the operation.
  @Test func `The file of an interrupted enrolment is the one that the log names`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    func path(_ way: GuardedWay) throws -> URL {
      URL(fileURLWithPath: "\(try keys.scene.keysFolder)/\(way.keyID).json")
    }
    let (pin, login) = (GuardedWay.pin, GuardedWay.login)
    _ = try open.namespace.write(
      pin.enrolment(), open.masterKey, secret: pin.secret(), tag: "ended")
    let left = try Data(contentsOf: path(pin))
    try open.add(pin)
    #expect(try Data(contentsOf: path(pin)) == left)
    // What does not open, or says something else, makes room.
    try Data("no JSON".utf8).write(to: path(login))
    try open.add(login)
    let next = GuardedWay.newPIN
    let other = GuardedWay(keyID: next.keyID, host: "other.example", replaces: next.replaces)
    _ = try open.namespace.write(
      other.enrolment(), open.masterKey, secret: next.secret(), tag: "ended")
    try open.add(next)
    for way in [pin, login, next] {
      #expect(try keys.slot(way).isEnrolled == true)
      _ = try keys.unlock(way, "b")
      #expect(try keys.slot(way, "b").isEnrolled == true)
    }
    #expect(try keys.slot(next).guardURLs.allSatisfy { $0.host == "guard.example:8443" })
  }

  @Test func `The one that replaces it removes it once it has opened the backup`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.pin)
    try open.add(.newPIN)
    #expect(open.removedKeys.isEmpty)
    _ = try keys.unlock(.pin, "b")
    var other = try keys.unlock(.newPIN, "b", for: .writing)
    try other.add(.of("w1"))
    #expect(other.removedKeys == [GuardedWay.pin.keyID])
    #expect(
      Set(try keys.folder("b").namespace().scan().keySlots.compactMap(\.keyID))
        == [Keyring.blue.keyID, Keyring.spare.keyID, GuardedWay.newPIN.keyID])
  }

  /// Another program with the master key might have enrolled such a slot.
  @Test func `A header that names another kind removes nothing of it`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    let way = GuardedWay(keyID: KeyID(words: [7, 9]), replaces: Keyring.spare.keyID)
    let header = KeyHeader(
      namespaceID: open.id, keyID: way.keyID, kind: try way.kind(), label: "x", createdAt: 1,
      replaces: way.replaces)
    let file = try KeyWrapper.seal(open.masterKey, secret: way.secret(), header: header)
    try Data(file).write(
      to: URL(fileURLWithPath: "\(try keys.scene.keysFolder)/\(way.keyID).json"))
    try open.publishKeySlot(file, way.keyID)
    var other = try keys.unlock(way, "b", for: .writing)
    try other.add(.of("w1"))
    #expect(other.removedKeys.isEmpty)
    #expect(try keys.slot(way, "b").isEnrolled == true)
  }

  @Test func `A planted header with other guards is only a claim`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.pin)
    let folder = try keys.scene.keysFolder
    var evil = GuardedWay.pin
    evil.host = "evil.example"
    // An attacker knows no master key; the bytes inside are of another one.
    let theirs = MasterKey.random()
    for (name, id) in [("0", evil.keyID), ("zz", evil.keyID), ("1", KeyID(words: [7, 8]))] {
      let header = KeyHeader(
        namespaceID: theirs.namespaceID, keyID: id, kind: try evil.kind(), label: "My PIN",
        createdAt: 1)
      let file = try KeyWrapper.seal(theirs, secret: evil.secret(), header: header)
      var object = try #require(
        try JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])
      var moved = header
      moved.namespaceID = open.id
      let recipient = try KeyWrapper(parsing: file.span, at: nil).recipient
      object["protected"] = Base64.string(Array(try moved.json(recipient: recipient).utf8), .url)
      try JSONSerialization.data(withJSONObject: object, options: .withoutEscapingSlashes)
        .write(to: URL(fileURLWithPath: "\(folder)/\(name).json"))
    }
    for computer in ["a", "new"] {
      let slots = try keys.folder(computer).namespace(open.id).scan().keySlots
        .filter(\.isGuarded)
      #expect(slots.count == 3)
      for slot in slots where slot.guardURLs[0].host.hasPrefix("evil") {
        #expect(slot.isEnrolled == nil && !slot.counts)
        #expect(throws: BackupFolderError.wrongKey) { _ = try slot.unwrap(secret: evil.secret()) }
      }
      let own = try #require(slots.first { $0.guardURLs[0].host.hasPrefix("guard") })
      #expect(own.isEnrolled == (computer == "a" ? true : nil))
      #expect(throws: Never.self) { _ = try own.unwrap(secret: evil.secret()) }
    }
    let opened = try keys.unlock(.blue, "new")
    let told = try opened.keySlots().filter(\.isGuarded).map {
      ($0.guardURLs[0].host, $0.isEnrolled)
    }
    #expect(told.count == 3 && told.allSatisfy { ($0.0 == "guard.example:8443") == ($0.1 == true) })
  }
}

extension OpenNamespace {
  /// Logs the file of a key slot, without the checks of an enrolment.
  fileprivate mutating func publishKeySlot(_ file: [UInt8], _ key: KeyID) throws {
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    try publish(at: 1, run: run) { $0.keyAdd(key, file: file.span) }
    log.include(keyFile: file, of: key)
  }
}

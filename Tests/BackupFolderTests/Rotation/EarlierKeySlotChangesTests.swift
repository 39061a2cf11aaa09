import CSPP
import Foundation
import Testing

@testable import BackupFolder

/// Key slots that were added, removed or lost in a namespace that is no longer in charge.
struct EarlierKeySlotChangesTests {
  private let keys: Keyring

  init() throws { keys = try Keyring() }

  private var spareFile: String { FolderLayout.keyFilePath(Keyring.spare.keyID) }

  private func path(_ id: NamespaceID, _ file: String) -> String {
    "\(keys.scene.folder)/cspp-namespaces/\(id)/\(file)"
  }

  @Test
  func `A removal that only one of two rotations knew holds for both`() throws {
    let green = Keyring.Way(
      keyID: KeyID(words: [7, 7]), label: "Green key", credential: 3, output: 0x13)
    var seen: Set<Bool> = []
    while seen.count < 2 {
      let keys = try Keyring()
      var open = try keys.unlock(.blue)
      try open.addKeySlot(
        green.enrolment, secret: keys.bytes(green), confirmedBy: keys.bytes(green))
      try keys.part()
      // Computer a knows nothing of the removal.
      let one = try keys.rotate(.blue, as: .newBlue).take().id
      var other = try keys.unlock(.spare, at: nil, "b", keys.replica)
      try other.removeKeySlots([green.keyID])
      try keys.rotate(open: &other, .spare, as: .newSpare)
      let two = try keys.scene.open("b", keys.replica).namespace().id
      try keys.join()
      guard seen.insert(one < two).inserted else { continue }

      let winner = min(one, two)
      let (slot, at, box): (Keyring.Way, NamespaceID, Keyring.Way) =
        one < two ? (.newSpare, two, .spare) : (.newBlue, one, .blue)
      var found = try keys.follow(slot, at: at, "e", compared: winner, with: [keys.secret(box)])
      #expect(found.namespace.id == winner && found.obstacle == nil)
      // Where the rotation in charge did not know the removal, its box for the key is there.
      let removed = try found.namespace.mergeRivals()
      #expect(removed?.removed == (one < two ? ["Green key"] : []))
      #expect(found.namespace.pendingKeySlots().allSatisfy { $0.keyID != green.keyID })
      let slots = try keys.folder("n").namespace(winner)
        .open(found.namespace.masterKey.copy(), by: nil)
      #expect(slots.pendingKeySlots().allSatisfy { $0.keyID != green.keyID })
    }
  }

  @Test
  func `A removal that came late is told, and nothing more`() throws {
    let root = try keys.unlock(.blue).id
    _ = try keys.unlock(.blue, at: root, "b")
    let new = try keys.rotate(.blue, as: .newBlue).take().id
    var late = try keys.unlock(.blue, at: root, "b")
    try late.removeKeySlots([Keyring.spare.keyID])

    var open = try keys.unlock(.newBlue, at: new)
    #expect(open.keySlotsRemovedEarlier == [Keyring.spare.keyID])
    #expect(open.keySlotsWithoutFile.map(\.keyID) == [Keyring.spare.keyID])
    // The file that was deleted there comes back: whoever has the earlier master key shuts out nobody.
    #expect(try open.keySlots().count == 1)
    try open.repairKeySlots()
    #expect(FileManager.default.fileExists(atPath: path(root, spareFile)))
    #expect(try keys.folder("a").namespace(new).lostKeySlots.isEmpty)
    try open.removeKeySlots([Keyring.spare.keyID])
    #expect(open.keySlotsRemovedEarlier.isEmpty && open.keySlotsWithoutFile.isEmpty)
  }

  @Test
  func `An enrolment that came late is told, and opens nothing`() throws {
    let root = try keys.unlock(.blue).id
    _ = try keys.unlock(.blue, at: root, "b")
    let new = try keys.rotate(.blue, as: .newBlue).take().id
    let secret = keys.scene.secret([UInt8](repeating: 0x77, count: 32))
    var late = try keys.unlock(.blue, at: root, "b")
    try late.addKeySlot(
      Enrolment(
        label: "Third key",
        securityKey: KeyHeader.SecurityKey(
          rpID: "keybackup:", credentialID: [9], discoverable: true,
          aaguid: [UInt8](repeating: 9, count: 16), prfSalt: [UInt8](repeating: 0x77, count: 32)),
        keyID: KeyID(words: [9, 9])), secret: secret, confirmedBy: secret)
    let open = try keys.unlock(.newBlue, at: new)
    #expect(open.keySlotsAddedEarlier == ["Third key"])
    #expect(open.keySlotsRemovedEarlier.isEmpty)
    #expect(open.pendingKeySlots().allSatisfy { $0.keyID != KeyID(words: [9, 9]) })
  }

  @Test(arguments: ["lost", "junk", "cut off", "another's"])
  func `The lost file of a pending key slot is told and written again`(_ damage: String) throws {
    let root = try keys.unlock(.blue).id
    let new = try keys.rotate(.blue, as: .newBlue).take().id
    let file = path(root, spareFile)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let url = URL(fileURLWithPath: file)
    switch damage {
    case "junk": try Data(repeating: 7, count: bytes.count).write(to: url)
    case "cut off": try bytes.prefix(60).write(to: url)
    case "another's":
      let other = path(root, FolderLayout.keyFilePath(Keyring.blue.keyID))
      try Data(contentsOf: URL(fileURLWithPath: other)).write(to: url)
    default: try FileManager.default.removeItem(atPath: file)
    }
    var open = try keys.unlock(.newBlue, at: new)
    try open.remember()
    open.noteOfflineKit(Keyring.Way.newBlue.keyID)
    let lost = try keys.folder("a").namespace(new).lostKeySlots
    #expect(lost.map(\.label) == ["Spare key"] && lost.allSatisfy(\.isPending))
    #expect(lost.map(\.file) == ["../\(root)/\(spareFile)"])
    #expect(try open.allKeySlots().allSatisfy { $0.keyID != Keyring.spare.keyID })
    let all = try open.allKeySlots(evenLost: true)
    #expect(all.contains { $0.keyID == Keyring.spare.keyID && $0.isPending })
    try open.repairKeySlots()
    #expect(open.keySlotRepairs.written == ["../\(root)/\(spareFile)"])
    #expect(try (damage == "another's" || damage == "cut off") == (Data(contentsOf: url) != bytes))
    #expect(try keys.folder("a").namespace(new).lostKeySlots.isEmpty)
    let found = try keys.follow(.spare, at: root, "n", compared: new)
    #expect(found.namespace.id == new)
  }

  @Test
  func `A pending key slot whose file is gone can be removed`() throws {
    let root = try keys.unlock(.blue).id
    let new = try keys.rotate(.blue, as: .newBlue).take().id
    try FileManager.default.removeItem(atPath: path(root, spareFile))
    var open = try keys.unlock(.newBlue, at: new)
    try open.removeKeySlots([Keyring.spare.keyID])
    #expect(open.keySlotsWithoutFile.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: path(root, spareFile)))
    let next = try open.rotateMasterKey(
      to: Keyring.Way.newerBlue.enrolment, secret: keys.bytes(.newerBlue),
      atHand: Keyring.Way.newBlue.keyID)
    #expect(next.left.isEmpty)
  }

  @Test
  func `Without the earlier backup a pending key slot is lost for good`() throws {
    let root = try keys.unlock(.blue).id
    let new = try keys.rotate(.blue, as: .newBlue).take().id
    let namespace = try keys.folder("a").namespace(new)
    #expect(namespace.lostKeySlots.isEmpty)
    try FileManager.default.removeItem(atPath: path(root, "keybackup/keys"))
    #expect(namespace.lostKeySlots.map(\.isForGood) == [false])
    try FileManager.default.removeItem(atPath: path(root, ""))
    #expect(namespace.lostKeySlots.map(\.isForGood) == [true])
  }

  /// Computer b renews the spare key's secret, and rotates; a knew neither.
  @Test
  func `A renewed security key is not taken for a removed one`() throws {
    var seen: Set<Bool> = []
    while seen.count < 2 {
      let keys = try Keyring()
      let renewed = Keyring.Way(
        keyID: KeyID(words: [8, 8]), label: "Spare key", credential: 2, output: 0x42)
      try keys.part()
      let one = try keys.rotate(.blue, as: .newBlue).take().id
      var other = try keys.unlock(.spare, at: nil, "b", keys.replica)
      let enrolment = Enrolment(
        label: renewed.label, kind: renewed.enrolment.kind, keyID: renewed.keyID,
        replaces: Keyring.spare.keyID)
      try other.addReplacement(enrolment, secret: keys.bytes(renewed))
      other = try keys.unlock(renewed, at: nil, "b", keys.replica)
      let slot = try keys.slot(renewed, at: nil, "b", keys.replica)
      other.noteOpener(slot, secret: keys.bytes(renewed))
      try other.repair()
      #expect(other.removedKeys == [Keyring.spare.keyID])
      other = try keys.unlock(.blue, at: nil, "b", keys.replica)
      try keys.rotate(open: &other, .blue, as: .newerBlue)
      let two = try keys.scene.open("b", keys.replica).namespace().id
      try keys.join()
      guard seen.insert(one < two).inserted else { continue }
      let winner = min(one, two)
      let (way, at): (Keyring.Way, NamespaceID) =
        one < two ? (.newBlue, one) : (.newerBlue, two)
      let rival: (Keyring.Way, NamespaceID) = one < two ? (.newerBlue, two) : (.newBlue, one)
      let rivalKey = SharedMasterKey(
        try keys.slot(rival.0, at: rival.1, "e").unwrap(secret: keys.bytes(rival.0)))
      var found = try keys.folder("e").namespace(at).follow(
        keys.slot(way, at: at, "e").unwrap(secret: keys.bytes(way)), by: way.keyID,
        slots: [keys.secret(way)], keys: [rivalKey])
      #expect(found.namespace.id == winner)
      let slots = try found.namespace.mergeRivals()
      #expect(slots?.removed == [] && slots?.kept.isEmpty == true)
      #expect(found.namespace.keySlotsWithoutFile.map(\.keyID) == [renewed.keyID])
    }
  }

  /// A removed security key made the other rotation, so it has another slot there.
  @Test
  func `A removed security key does not come back by its own rotation`() throws {
    var seen: Set<Bool> = []
    while seen.count < 2 {
      let keys = try Keyring()
      try keys.part()
      var open = try keys.unlock(.blue)
      try open.removeKeySlots([Keyring.spare.keyID])
      try keys.rotate(open: &open, .blue, as: .newBlue)
      let one = try keys.scene.open().namespace().id
      _ = try keys.rotate(.spare, as: .newSpare, "b", keys.replica)
      let two = try keys.scene.open("b", keys.replica).namespace().id
      try keys.join()
      guard seen.insert(one < two).inserted else { continue }
      let ways: [(Keyring.Way, NamespaceID)] = [(.newBlue, one), (.newSpare, two)]
      let all = try ways.map { way, id in
        SharedMasterKey(try keys.slot(way, at: id, "e").unwrap(secret: keys.bytes(way)))
      }
      let (way, at) = one < two ? ways[0] : ways[1]
      var found = try keys.folder("e").namespace(at).follow(
        keys.slot(way, at: at, "e").unwrap(secret: keys.bytes(way)), by: way.keyID,
        slots: [keys.secret(way)], keys: all)
      #expect(found.namespace.id == min(one, two))
      let slots = try found.namespace.mergeRivals()
      if one < two {
        #expect(found.namespace.keySlotsWithoutFile.isEmpty && slots?.kept.isEmpty == true)
      } else {
        // It made the backup in charge. A person decides.
        #expect(slots?.kept.map(\.keyID) == [Keyring.Way.newSpare.keyID])
        #expect(found.namespace.keySlotsRemovedEarlier == [Keyring.Way.newSpare.keyID])
      }
    }
  }

  @Test
  func `A removal in the other rotation's backup is told also after they are merged`() throws {
    var isOtherBehind = false
    while !isOtherBehind {
      let keys = try Keyring()
      try keys.part()
      let one = try keys.rotate(.blue, as: .newBlue).take().id
      _ = try keys.rotate(.spare, as: .newSpare, "b", keys.replica)
      let two = try keys.scene.open("b", keys.replica).namespace().id
      var other = try keys.unlock(.newSpare, at: two, "b", keys.replica)
      try other.removeKeySlots([Keyring.blue.keyID])
      try keys.join()
      isOtherBehind = one < two
      guard isOtherBehind else { continue }
      let rival = SharedMasterKey(
        try keys.slot(.newSpare, at: two, "e").unwrap(secret: keys.bytes(.newSpare)))
      func open() throws -> ResolvedNamespace {
        try keys.folder("e").namespace(one).follow(
          keys.slot(.newBlue, at: one, "e").unwrap(secret: keys.bytes(.newBlue)), keys: [rival])
      }
      var found = try open()
      let slots = try found.namespace.mergeRivals()
      #expect(slots?.kept.map(\.keyID) == [Keyring.Way.newBlue.keyID])
      found = try open()
      #expect(try found.namespace.mergeRivals() == nil)
      #expect(found.namespace.keySlotsRemovedEarlier == [Keyring.Way.newBlue.keyID])
    }
  }
}

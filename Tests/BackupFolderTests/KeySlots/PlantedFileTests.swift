import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Key slot files that somebody with write access adds to the folder.
///
/// Their contents count only once they open.
struct PlantedFileTests {
  /// A file with other contents is read before the true one, and after it.
  @Test(arguments: ["0.json", "zz.json"])
  func `A planted header gets no file in the next namespace`(name: String) throws {
    let keys = try Keyring()
    let old = try keys.folder("a").namespace().id
    _ = try keys.rotate(.blue, as: .newBlue)
    let new = try keys.folder("a").namespace().id
    // One planted file looks like the same key slot to a reader of the files; the other does not.
    try keys.plant(.spare, at: old, as: name) { header, _ in header.label = "planted" }
    try keys.plant(.spare, at: old, as: "1" + name) { header, key in
      header.label = "planted"
      key.prfSalt = [UInt8](repeating: 0x77, count: 32)
    }
    let slots = try keys.folder("b").namespace(old).scan().keySlots
    let all = slots.filter { $0.keyID == Keyring.spare.keyID && $0.hasWrapper }
    #expect(all.count == 2)
    let planted = try #require(all.first { $0.prfSalt[0] == 0x77 })
    let own = try #require(all.first { $0.prfSalt[0] != 0x77 })
    #expect(own.sources.count == 2)

    var open = try keys.unlock(.newBlue, at: new)
    #expect(try !open.admit(planted, keys.secret(.spare)))
    let isThere = open.has(Keyring.spare.keyID)
    #expect(!isThere)
    #expect(try open.admit(own, keys.secret(.spare)))
    let slot = try keys.slot(.spare, at: new)
    #expect(slot.label == "Spare key" && slot.prfSalt == own.prfSalt)
    let direct = try keys.unlock(.spare, at: new, "c").openedBy
    #expect(direct == Keyring.spare.keyID)
  }

  @Test
  func `An interrupted rotation beside whose file another lies is made again, and ends`() throws {
    let keys = try Keyring()
    try keys.interrupt(.blue, as: .newBlue)
    let left = try #require(try keys.folder("a").namespace().unfinishedRotation()).id
    try keys.plant(.newBlue, at: left, as: "0.json") { header, key in
      header.createdAt = 1
      key.prfSalt = [UInt8](repeating: 0x77, count: 32)
    }
    let rotation = try keys.rotate(.blue, as: .newBlue)
    #expect(!rotation.isResumed && rotation.namespace.id != left)
    #expect(try keys.folder("a").namespaces().count == 2)
    let slot = try keys.slot(.newBlue, at: rotation.namespace.id)
    #expect(slot.prfSalt[0] == 0x21 && slot.files.count == 2)
  }

  /// The next key slot may not repeat the salt or the ID of an earlier one.
  ///
  /// With an earlier salt, it would have that slot's secret. With the ID of another slot, a box
  /// would go to the wrong one.
  @Test(
    arguments: [(Keyring.spare.keyID, 0x41), (KeyID(words: [9, 9]), 0x11)] as [(KeyID, UInt8)])
  func `Nothing earlier opens the next namespace`(id: KeyID, salt: UInt8) throws {
    let keys = try Keyring()
    try keys.interrupt(.blue, as: .newBlue)
    let before = try Scene.contents(keys.scene.folder)
    let slot = Keyring.Way(keyID: id, label: "Blue key", credential: 1, output: salt)
    #expect(throws: BackupFolderError.self) { try keys.rotate(.blue, as: slot) }
    #expect(try Scene.contents(keys.scene.folder) == before)
    // Started over with a new key slot, the rotation of the old backup succeeds.
    #expect(try !keys.rotate(.blue, as: .newerBlue).isResumed)
  }

  /// The CSPP envelope's `key_id` is not authenticated.
  @Test func `An envelope alone proves no ID`() throws {
    let keys = try Keyring()
    try keys.interrupt(.blue, as: .newBlue)
    let left = try #require(try keys.folder("a").namespace().unfinishedRotation())
    let path =
      "\(left.directory.path)/\(FolderLayout.masterKeyFolder)/\(FolderLayout.masterKeyFile)"
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    let changed = text.replacing(Keyring.Way.newBlue.keyID.hex, with: Keyring.spare.keyID.hex)
    #expect(changed != text)
    try Data(changed.utf8).write(to: URL(fileURLWithPath: path))
    let planted = try #require(try left.scan().keySlots.first { $0.keyID == Keyring.spare.keyID })
    #expect(throws: Never.self) { _ = try planted.unwrap(secret: keys.bytes(.newBlue)) }
    #expect(planted.header(openedBy: keys.bytes(.newBlue)) == nil)
    let slot = Keyring.Way(
      keyID: Keyring.spare.keyID, label: "Blue key", credential: 1, output: 0x21)
    #expect(throws: BackupFolderError.self) { try keys.rotate(.blue, as: slot) }
    #expect(try keys.rotate(.blue, as: .newBlue).isResumed)
  }
}

extension Keyring {
  /// Kills a rotation once the new namespace has its first operation.
  func interrupt(_ slot: Way, as new: Way) throws {
    let old = try folder("a").namespace().id
    try scene.keep()
    for point in 20..<400 {
      try scene.reset()
      guard FileChanges.dying(at: point, { try rotate(slot, as: new) }) else { break }
      guard let left = try folder("a").namespace(old).unfinishedRotation() else { continue }
      if let logs = try left.logFolder(), try LogListing.count(logs) > 0 {
        try #require(try isInCharge(old))
        return
      }
    }
    throw BackupFolderError.interrupted
  }

  /// Adds a changed copy of a key slot's file.
  func plant(
    _ slot: Way, at id: NamespaceID, as name: String,
    _ change: (inout KeyHeader, inout KeyHeader.SecurityKey) -> Void
  ) throws {
    let place = "\(scene.folder)/cspp-namespaces/\(id)/keybackup/keys"
    let file = try Data(contentsOf: URL(fileURLWithPath: "\(place)/\(slot.keyID).json"))
    let wrapper = try KeyWrapper(parsing: Array(file).span, at: id)
    var header = wrapper.header
    guard case .securityKey(var key) = header.kind else { throw BackupFolderError.wrongKey }
    change(&header, &key)
    header.kind = .securityKey(key)
    let object = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
    let protected = try #require(object["protected"] as? String)
    let encoded = Data(try header.json(recipient: wrapper.recipient).utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let planted = String(decoding: file, as: UTF8.self).replacing(protected, with: encoded)
    try Data(planted.utf8).write(to: URL(fileURLWithPath: "\(place)/\(name)"))
  }
}

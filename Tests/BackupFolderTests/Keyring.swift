import CSPP
import Foundation
import SecretMemory
import Testing

@testable import BackupFolder

/// A folder with two key slots, and their secrets for other salts.
final class Keyring {
  /// A key slot, described by the values that give its secret.
  struct Way: Equatable {
    let keyID: KeyID
    let label: String
    let credential: UInt8
    let output: UInt8

    static let blue = Keyring.blue
    static let spare = Keyring.spare
    static let newBlue = Way(
      keyID: KeyID(words: [3, 3]), label: "Blue key", credential: 1, output: 0x21)
    static let newerBlue = Way(
      keyID: KeyID(words: [4, 4]), label: "Blue key", credential: 1, output: 0x31)
    static let newSpare = Way(
      keyID: KeyID(words: [5, 5]), label: "Spare key", credential: 2, output: 0x22)

    var enrolment: Enrolment {
      Enrolment(
        label: label,
        securityKey: KeyHeader.SecurityKey(
          rpID: "keybackup:", credentialID: [credential], discoverable: true,
          aaguid: [UInt8](repeating: 9, count: 16), prfSalt: [UInt8](repeating: output, count: 32)),
        keyID: keyID)
    }
  }

  static let blue = Way(
    keyID: KeyID(words: [1, 1]), label: "Blue key", credential: 1, output: 0x11)
  static let spare = Way(
    keyID: KeyID(words: [2, 2]), label: "Spare key", credential: 2, output: 0x12)

  let scene: Scene
  private let operationSize: Int
  var replica: String { scene.base + "/replica" }

  init(operationSize: Int = 4 << 20) throws {
    scene = try Scene(inMemory: true)
    self.operationSize = operationSize
    var open = try folder("a").create(
      Way.blue.enrolment, prfOutput: bytes(.blue), confirmedBy: bytes(.blue))
    try open.addKeySlot(Way.spare.enrolment, secret: bytes(.spare), confirmedBy: bytes(.spare))
  }

  func bytes(_ slot: Way) -> SecretBytes {
    scene.secret([UInt8](repeating: slot.output, count: 32))
  }

  func secret(_ slot: Way) -> KeySlotSecret { KeySlotSecret(slot.keyID, bytes(slot)) }

  func folder(_ computer: String, _ path: String? = nil) throws -> BackupFolder {
    var settings = scene.settings(computer)
    settings.operationSize = operationSize
    return try BackupFolder.open(path: path ?? scene.folder, settings: settings)
  }

  func slot(
    _ slot: Way, at id: NamespaceID? = nil, _ computer: String = "a", _ path: String? = nil
  ) throws -> KeySlot {
    let namespace = try folder(computer, path).namespace(id)
    return try #require(
      try namespace.scan().keySlots.first { $0.keyID == slot.keyID && $0.hasWrapper })
  }

  func unlock(
    _ slot: Way, at id: NamespaceID? = nil, _ computer: String = "a", _ path: String? = nil
  ) throws -> OpenNamespace {
    let namespace = try folder(computer, path).namespace(id)
    let key = try self.slot(slot, at: id, computer, path).unwrap(secret: bytes(slot))
    return try namespace.open(key, by: slot.keyID)
  }

  func follow(
    _ slot: Way, at id: NamespaceID, _ computer: String, compared: NamespaceID? = nil,
    with others: [KeySlotSecret] = []
  ) throws -> ResolvedNamespace {
    let namespace = try folder(computer).namespace(id)
    let key = try self.slot(slot, at: id, computer).unwrap(secret: bytes(slot))
    var followed = try namespace.follow(
      key, by: slot.keyID, slots: [secret(slot)] + others, compared: compared)
    followed.remember()
    return followed
  }

  @discardableResult
  func rotate(
    _ slot: Way, as new: Way, _ computer: String = "a", _ path: String? = nil
  ) throws -> Rotation {
    var open = try unlock(slot, computer, path)
    return try open.rotateMasterKey(
      to: new.enrolment, secret: bytes(new), atHand: slot.keyID)
  }

  /// Rotates an open namespace.
  func rotate(open: inout OpenNamespace, _ slot: Way, as new: Way) throws {
    _ = try open.rotateMasterKey(to: new.enrolment, secret: bytes(new), atHand: slot.keyID)
  }

  private func unlock(_ slot: Way, _ computer: String, _ path: String?) throws -> OpenNamespace {
    try unlock(slot, at: nil, computer, path)
  }

  /// Two computers change a wallet; neither has seen the other's change.
  func conflict(_ wallet: String) throws {
    try part()
    var here = try unlock(.blue)
    try here.add(.of(wallet, words: "here"))
    var there = try unlock(.blue, "b", replica)
    try there.add(.of(wallet, words: "there"))
    try join()
  }

  /// Takes a copy of the folder as it is now.
  func part() throws { try FileManager.default.copyItem(atPath: scene.folder, toPath: replica) }

  /// Copies new files of the replica back.
  func join() throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: replica).sorted() {
      let target = "\(scene.folder)/\(name)"
      if !FileManager.default.fileExists(atPath: target) {
        try FileManager.default.copyItem(atPath: "\(replica)/\(name)", toPath: target)
      }
    }
    try FileManager.default.removeItem(atPath: replica)
  }
}

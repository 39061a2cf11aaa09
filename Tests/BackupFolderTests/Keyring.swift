import CSPP
import Foundation
import SecretMemory
import Testing

@testable import BackupFolder

/// A folder with two ways in, and the secrets that these have for other salts.
final class Keyring {
  /// A way in, by what gives its secret.
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
    try open.addWayIn(Way.spare.enrolment, secret: bytes(.spare), confirmedBy: bytes(.spare))
  }

  func bytes(_ way: Way) -> SecretBytes { scene.secret([UInt8](repeating: way.output, count: 32)) }

  func secret(_ way: Way) -> WaySecret { WaySecret(way.keyID, bytes(way)) }

  func folder(_ computer: String, _ path: String? = nil) throws -> BackupFolder {
    var settings = scene.settings(computer)
    settings.operationSize = operationSize
    return try BackupFolder.open(path: path ?? scene.folder, settings: settings)
  }

  func way(
    _ way: Way, at id: NamespaceID? = nil, _ computer: String = "a", _ path: String? = nil
  ) throws -> WayIn {
    let namespace = try folder(computer, path).namespace(id)
    return try #require(
      try namespace.scan().waysIn.first { $0.keyID == way.keyID && $0.hasWrapper })
  }

  func unlock(
    _ way: Way, at id: NamespaceID? = nil, _ computer: String = "a", _ path: String? = nil
  ) throws -> OpenNamespace {
    let namespace = try folder(computer, path).namespace(id)
    let key = try self.way(way, at: id, computer, path).unwrap(secret: bytes(way))
    return try namespace.open(key, by: way.keyID)
  }

  func follow(
    _ way: Way, at id: NamespaceID, _ computer: String, compared: NamespaceID? = nil,
    with others: [WaySecret] = []
  ) throws -> Followed {
    let namespace = try folder(computer).namespace(id)
    let key = try self.way(way, at: id, computer).unwrap(secret: bytes(way))
    var followed = try namespace.follow(
      key, by: way.keyID, ways: [secret(way)] + others, compared: compared)
    followed.remember()
    return followed
  }

  @discardableResult
  func rotate(
    _ way: Way, as new: Way, _ computer: String = "a", _ path: String? = nil
  ) throws -> Rotation {
    var open = try unlock(way, computer, path)
    return try open.rotateMasterKey(
      to: new.enrolment, secret: bytes(new), atHand: way.keyID)
  }

  /// Rotates what is open.
  func rotate(open: inout OpenNamespace, _ way: Way, as new: Way) throws {
    _ = try open.rotateMasterKey(to: new.enrolment, secret: bytes(new), atHand: way.keyID)
  }

  private func unlock(_ way: Way, _ computer: String, _ path: String?) throws -> OpenNamespace {
    try unlock(way, at: nil, computer, path)
  }

  /// Two computers change a wallet, and neither has seen what the other wrote.
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

  /// Brings what is new in the copy back.
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

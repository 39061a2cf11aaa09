import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// A security key of a test: its credential, and its PRF as a hash of the salt.
struct SpareKey: Sendable {
  let name: UInt8

  func enrolment(
    salt: UInt8 = 1, replaces: KeyID? = nil, credential: UInt8 = 0
  ) -> Enrolment {
    Enrolment(
      label: "key \(name)",
      kind: .securityKey(
        KeyHeader.SecurityKey(
          rpID: "keybackup:", credentialID: [name, credential, 1], discoverable: true,
          aaguid: [UInt8](repeating: name, count: 16),
          prfSalt: [UInt8](repeating: salt, count: 32))), replaces: replaces)
  }

  /// The PRF output for a salt.
  func output(_ salt: [UInt8]) -> SecretBytes {
    let bytes = Digest(of: ([name] + salt).span).bytes
    return unsafe SecretBytes(copying: bytes.span.bytes)
  }

  func output(_ enrolment: Enrolment) -> SecretBytes {
    guard case .securityKey(let key) = enrolment.kind else { return SecretBytes(zeroed: 0) }
    return output(key.prfSalt)
  }
}

extension Scene {
  /// Makes a backup with one key.
  func create(with key: SpareKey) throws -> KeyID {
    let enrolment = key.enrolment()
    _ = try open().create(
      enrolment, prfOutput: key.output(enrolment), confirmedBy: key.output(enrolment))
    return enrolment.keyID
  }

  /// Opens the backup with a key as the command does, the newest way first.
  func open(
    with key: SpareKey, _ id: KeyID? = nil, computer: String = "a", at path: String? = nil,
    for purpose: OpenNamespace.Purpose = .reading
  ) throws -> OpenNamespace {
    let namespace = try open(computer, path).namespace()
    for slot in try namespace.scan().keySlots.reversed() where id == nil || slot.keyID == id {
      guard slot.credentialID?.first == key.name || slot.credentialID == nil,
        let master = try? slot.unwrap(secret: key.output(slot.prfSalt))
      else { continue }
      var open = try namespace.open(master, by: slot.keyID, for: purpose)
      open.noteOpener(slot, secret: key.output(slot.prfSalt))
      return open
    }
    throw BackupFolderError.wrongKey
  }

  /// Enrols a key after opening the backup with another.
  @discardableResult
  func add(_ key: SpareKey, openedWith opener: SpareKey) throws -> KeyID {
    var open = try open(with: opener)
    let enrolment = key.enrolment()
    try open.addKeySlot(
      enrolment, secret: key.output(enrolment), confirmedBy: key.output(enrolment))
    return enrolment.keyID
  }

  /// The key slots as the folder shows them, by ID.
  func slots(_ computer: String = "a") throws -> [KeyID: KeySlot] {
    let slots = try open(computer).namespace().scan().keySlots
    return Dictionary(slots.compactMap { slot in slot.keyID.map { ($0, slot) } }) { old, _ in old }
  }

  var keysFolder: String { get throws { try namespacePath + "/keybackup/keys" } }
  var envelopePath: String {
    get throws { try namespacePath + "/master-key/" + FolderLayout.masterKeyFile }
  }

  /// The owner of the CSPP envelope, which has to open with that key.
  func envelopeOwner(_ keys: [SpareKey]) throws -> KeyID? {
    let file = Array(try Data(contentsOf: URL(fileURLWithPath: envelopePath)))
    let id = try #require(try open().namespaces().first)
    let envelope = try MasterKeyEnvelope(parsing: file.span, at: id)
    let opens = keys.contains { key in
      (try? envelope.open(prfOutput: key.output(envelope.prfSalt), namespaceID: id)) != nil
    }
    #expect(opens, "the envelope opens with none of the keys")
    return envelope.keyReference?.keyID
  }
}

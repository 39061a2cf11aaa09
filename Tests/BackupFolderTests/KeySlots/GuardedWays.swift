import CSPP
import Foundation
import SecretMemory
import Testing

@testable import BackupFolder

/// A way in that needs guards, with a secret that the guards of a test would give.
struct GuardedWay {
  let keyID: KeyID
  var isPIN = true
  var host = "guard.example"
  var replaces: KeyID?

  static let pin = GuardedWay(keyID: KeyID(words: [7, 1]))
  static let newPIN = GuardedWay(keyID: KeyID(words: [7, 2]), replaces: pin.keyID)
  static let login = GuardedWay(keyID: KeyID(words: [7, 3]), isPIN: false)

  var bytes: [UInt8] { [UInt8](repeating: keyID.bytes[15] | 0x80, count: 32) }

  func secret() -> SecretBytes { unsafe SecretBytes(copying: bytes.span.bytes) }

  func slotSecret() -> KeySlotSecret { KeySlotSecret(keyID, secret()) }

  func kind() throws -> KeyHeader.Kind {
    let nonce = [UInt8](repeating: 1, count: KeyHeader.guardNonceSize)
    let url = try #require(ServiceURL("https://\(host):8443"))
    func id(_ place: Int) -> GuardID { GuardID(words: [5, UInt64(place)]) }
    func bytes(_ place: Int) -> [UInt8] { [UInt8](repeating: UInt8(place), count: 32) }
    if isPIN {
      return .guardedPIN(
        try .init(
          nonce: nonce, needed: 2, schedule: .pin,
          stretching: PINStretching(
            salt: [UInt8](repeating: 2, count: 16), kibibytes: 8192, passes: 1),
          guards: (1...3).map {
            .init(guardID: id($0), url: url, oprfKey: bytes($0), maskedShare: bytes(9))
          }))
    }
    return .guardedLogin(
      try .init(
        nonce: nonce, needed: 2, delay: #require(ReleaseDelay(of: 0)),
        issuer: #require(ServiceURL("https://login.example")), clientID: "keybackup",
        guards: (1...3).map {
          .init(
            guardID: id($0), url: url, maskedShare: bytes(9),
            shareDigest: Digest(of: bytes($0).span))
        }))
  }

  func enrolment() throws -> Enrolment {
    Enrolment(
      label: "My \(isPIN ? "PIN" : "login")", kind: try kind(), keyID: keyID, replaces: replaces)
  }
}

extension OpenNamespace {
  mutating func add(_ way: GuardedWay) throws {
    try addKeySlot(way.enrolment(), secret: way.secret(), confirmedBy: way.secret())
  }
}

extension Keyring {
  func slot(_ way: GuardedWay, at id: NamespaceID? = nil, _ computer: String = "a") throws
    -> KeySlot
  {
    try #require(
      try folder(computer).namespace(id).scan().keySlots.first { $0.keyID == way.keyID })
  }

  /// Opens the backup with what the guards gave, as a command does.
  func unlock(
    _ way: GuardedWay, at id: NamespaceID? = nil, _ computer: String = "a",
    for purpose: OpenNamespace.Purpose = .reading
  ) throws -> OpenNamespace {
    let slot = try slot(way, at: id, computer)
    var open = try folder(computer).namespace(id).open(
      slot.unwrap(secret: way.secret()), by: way.keyID, for: purpose)
    open.noteOpener(slot, secret: way.secret())
    return open
  }
}

/// Accounts of one enrolment.
func accounts(
  _ number: UInt64, _ keyID: KeyID = GuardedWay.pin.keyID
) throws -> GuardAccounts {
  try GuardAccounts(
    ownerKey: unsafe SecretBytes(
      copying: [UInt8](repeating: UInt8(number), count: 32).span.bytes),
    accounts: (0..<3).map { place in
      GuardAccount(
        account: GuardAccountID(words: [number, place, 0, 0]), guardID: GuardID(words: [5, place]),
        url: try #require(ServiceURL("https://g\(place).example")), keyID: keyID, kind: .pin,
        createdAt: number)
    })
}

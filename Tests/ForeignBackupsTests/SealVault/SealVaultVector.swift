import SecretMemory

@testable import ForeignBackups

/// The known answers for SealVault.
struct SealVaultVector: Decodable {
  struct Case: Decodable {
    let name: String
    let mKib: UInt32
    let t: UInt32
    let rootBk: String
    let dbBk: String
    let skBk: String
  }
  struct Backup: Decodable {
    let aadCanonicalJson: String
    let plaintextHex: String
    let zipFileName: String
  }
  struct Wrapped: Decodable {
    let skDek: String
    let storedNonceCtTag: String
  }
  struct Typed: Decodable {
    let `in`: String
    let out: String?
  }

  let passwordDisplay: String
  let kdfSecretHex: String
  let kdfNonceHex: String
  let cases: [Case]
  let encryptedBackup: Backup
  let skDekWrappedBySkBk: Wrapped
  let passwordParsing: [Typed]

  static let known: SealVaultVector = {
    do { return try Vectors.decode("sealvault.json") } catch { fatalError("\(error)") }
  }()

  func password() throws -> SealVaultPassword {
    try SealVaultPassword(parsing: secret(Array(passwordDisplay.utf8)))
  }

  var kdfSecret: SecretBytes { secret(bytes(kdfSecretHex)) }
  var kdfNonce: [UInt8] { bytes(kdfNonceHex) }
  var zip: [UInt8] { get throws { try Vectors.bytes(encryptedBackup.zipFileName) } }
}

func bytes(_ hex: String) -> [UInt8] {
  let text = Array(hex.utf8)
  return unsafe Hex.decode(text.span.bytes) ?? []
}

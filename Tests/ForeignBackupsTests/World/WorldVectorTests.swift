import SecretMemory
import Testing

@testable import ForeignBackups

/// What an independent implementation in Python computed.
struct WorldVectorTests {
  struct File: Decodable {
    struct Account: Decodable {
      let rootSecretJson, backupAccountId, resetChallengeHex, resetSignatureB64Der: String
    }
    struct Factor: Decodable {
      let factorSecretPrf, backupSecretKey, backupPublicKey: String
      let encryptedBackupKeypairHex, secondFactorSecret: String
      let encryptedBackupKeypairSecondFactorHex: String
    }
    struct Vault: Decodable {
      struct Entry: Decodable { let path, cborHex: String }
      let rootSecretJson, gzipHex, sealedHex, tarSha256: String
      let entriesCbor: [Entry]
    }
    struct Manifest: Decodable {
      struct Entry: Decodable { let designator, filePath, checksumHex: String }
      let files: [Entry]
      let hash: String
    }
    let account: [Account]
    let factor: Factor
    let vaultV0: Vault
    let manifest: [Manifest]
  }

  let file: File

  init() throws { file = try Vectors.decode("world.json") }

  @Test func `Accounts and proofs are the expected ones`() throws {
    #expect(file.account.count == 4)
    for account in file.account {
      let root = try rootSecret(account.rootSecretJson)
      let key = try root.accountKey()
      #expect(key.id == account.backupAccountId)
      let signature = key.sign(bytes(hex: account.resetChallengeHex))
      #expect(Base64.string(signature, .standard) == account.resetSignatureB64Der)
      #expect(account.rootSecretJson.contains(root.version.rawValue))
    }
  }

  @Test func `Both factors open the keypair`() throws {
    let factor = file.factor
    for (secretHex, boxHex) in [
      (factor.factorSecretPrf, factor.encryptedBackupKeypairHex),
      (factor.secondFactorSecret, factor.encryptedBackupKeypairSecondFactorHex),
    ] {
      let keypair = try WorldKeypair(box: bytes(hex: boxHex))
      let opened = try keypair.open(with: secret(bytes(hex: secretHex)))
      #expect(Hex.string(plain(opened)) == factor.backupSecretKey)
      #expect(Hex.string(try X25519.publicKey(of: opened)) == factor.backupPublicKey)
    }
    let other = try WorldKeypair(box: bytes(hex: factor.encryptedBackupKeypairHex))
    #expect(throws: ForeignBackupError.wrongSecret(part: "the factor secret")) {
      _ = try other.open(with: secret(bytes(hex: factor.secondFactorSecret)))
    }
  }

  @Test func `The archive opens`() throws {
    let sealed = try Vectors.bytes("world_backup_v0.sealed.bin")
    #expect(Hex.string(sealed) == file.vaultV0.sealedHex)
    let archive = try WorldArchive(
      sealed: sealed, secret: secret(bytes(hex: file.factor.backupSecretKey)))
    #expect(
      archive.files.map(\.path.text) == [
        "personal_custody/file1.txt", "document_personal_custody/file2.txt",
      ])
    #expect(archive.files.map(\.designator) == ["orb_pkg", "document_pkg"])
    #expect(archive.files.map(\.size) == [13, 0])
    #expect(try plain(archive.contents(of: archive.files[0])) == Array("Hello, World!".utf8))
    #expect(try plain(archive.contents(of: archive.files[1])).isEmpty)
    #expect(plain(archive.rootSecretText()) == Array(file.vaultV0.rootSecretJson.utf8))
    #expect(Hex.string(WorldManifest.hash(archive.files)) == file.manifest[1].hash)
  }

  @Test func `Bodies are what the other implementation writes`() throws {
    for (entry, data) in zip(file.vaultV0.entriesCbor, [Array("Hello, World!".utf8), []]) {
      let made = MadeArchive.body(
        data, path: entry.path, designator: entry.path.hasPrefix("p") ? "orb_pkg" : "document_pkg")
      #expect(Hex.string(made) == entry.cborHex)
    }
  }

  @Test func `Hashes of manifests are the expected ones`() throws {
    #expect(file.manifest.count == 3)
    for manifest in file.manifest {
      let files = try manifest.files.map { entry in
        WorldFile(
          path: try #require(WorldPath(entry.filePath)), designator: entry.designator,
          checksum: bytes(hex: entry.checksumHex), size: 0, range: 0..<0)
      }
      #expect(Hex.string(WorldManifest.hash(files)) == manifest.hash)
    }
  }
}

func bytes(hex: String) -> [UInt8] {
  let digits = Array(hex.utf8)
  return unsafe Hex.decode(digits.span.bytes) ?? []
}

/// Reads a root secret.
func rootSecret(_ text: String) throws(ForeignBackupError) -> WorldRootSecret {
  try secret(Array(text.utf8)).withBytes { (text) throws(ForeignBackupError) in
    try WorldRootSecret(parsing: text)
  }
}

/// Reads the server's metadata.
func readMetadata(_ text: String) throws(ForeignBackupError) -> WorldMetadata {
  try secret(Array(text.utf8)).withBytes { (text) throws(ForeignBackupError) in
    try WorldMetadata(parsing: text)
  }
}

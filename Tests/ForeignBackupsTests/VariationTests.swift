import SecretMemory
import TestSupport
import Testing

@testable import ForeignBackups

/// What the formats allow and the vectors do not have, made by the second opinions in Python.
///
/// Every run has others; KEYBACKUP_TEST_SEED repeats one.
struct VariationTests {
  private struct Zip: Decodable {
    let zip, password, secret, data, metadata, name: String
  }

  @Test func `SealVault backups of all kinds open`() throws {
    let made: [Zip] = try Python.made("interop/sealvault.py", ["vary", "\(TestSeed.value)", "60"])
    #expect(made.count == 60)
    for (number, one) in made.enumerated() {
      let backup = try SealVaultBackup(parsing: secret(bytes(one.zip)), named: one.name)
      #expect(backup.metadata.canonical == Array(one.metadata.utf8), "\(number): \(one.metadata)")
      let keys = try SealVaultKeys(
        password: SealVaultPassword(parsing: secret(Array(one.password.utf8))),
        secret: secret(bytes(one.secret)), nonce: backup.metadata.kdfNonce,
        cost: Argon2Library.Cost(memoryKiB: 8, passes: 1))
      #expect(plain(try backup.open(with: keys)) == bytes(one.data), "\(number): \(one.metadata)")
    }
  }

  private struct Archive: Decodable {
    struct File: Decodable { let path, designator, data: String }
    let archive, factor, keypair, accountId, manifestHash: String
    let files: [File]
  }

  @Test func `World archives of all kinds open`() throws {
    let made: [Archive] = try Python.made("interop/world.py", ["vary", "\(TestSeed.value)", "40"])
    #expect(made.count == 40)
    for (number, one) in made.enumerated() {
      let key = try WorldKeypair(box: bytes(one.keypair)).open(with: secret(bytes(one.factor)))
      let archive = try WorldArchive(sealed: bytes(one.archive), secret: key)
      #expect(try archive.rootSecret().accountKey().id == one.accountId, "\(number)")
      #expect(Hex.string(WorldManifest.hash(archive.files)) == one.manifestHash, "\(number)")
      #expect(archive.files.map(\.path.text) == one.files.map(\.path), "\(number)")
      #expect(archive.files.map(\.designator) == one.files.map(\.designator), "\(number)")
      for (file, expected) in zip(archive.files, one.files) {
        #expect(plain(try archive.contents(of: file)) == bytes(expected.data), "\(number)")
      }
    }
  }
}

import SecretMemory
import Testing

@testable import ForeignBackups

struct SealVaultBackupTests {
  private let known = SealVaultVector.known

  private func open(_ zip: [UInt8], named name: String? = nil) throws -> [UInt8] {
    let backup = try SealVaultBackup(parsing: secret(zip), named: name)
    let keys = try SealVaultKeys(
      password: known.password(), secret: known.kdfSecret, nonce: backup.metadata.kdfNonce)
    return plain(try backup.open(with: keys))
  }

  private func error(_ zip: [UInt8], named name: String? = nil) -> ForeignBackupError? {
    do {
      _ = try SealVaultBackup(parsing: secret(zip), named: name)
      return nil
    } catch {
      return error
    }
  }

  @Test func `The known file opens to the known database`() throws {
    let backup = known.encryptedBackup
    #expect(try open(known.zip, named: backup.zipFileName) == bytes(backup.plaintextHex))
  }

  @Test func `Another password or KDF secret does not open it`() throws {
    let backup = try SealVaultBackup(parsing: secret(known.zip), named: nil)
    let wrong = ForeignBackupError.wrongSecret(part: "the password with the KDF secret")
    let other = try SealVaultKeys(
      password: SealVaultPassword.generate(), secret: known.kdfSecret, nonce: known.kdfNonce)
    #expect(throws: wrong) { try backup.open(with: other).count }
    let another = try SealVaultKeys(
      password: known.password(), secret: SecretBytes.random(count: 32), nonce: known.kdfNonce)
    #expect(throws: wrong) { try backup.open(with: another).count }
  }

  /// No byte of the zip file is there for nothing.
  @Test func `Every byte that is changed is noticed without a secret, and the part is named`()
    throws
  {
    let zip = try known.zip
    for place in zip.indices {
      for bit in [UInt8(1), 0x20, 0x80] {
        var changed = zip
        changed[place] ^= bit
        let error = error(changed)
        #expect(error != nil, "byte \(place) of \(zip.count), bit \(bit)")
      }
    }
  }

  @Test func `A file that is cut or grown is refused`() throws {
    let zip = try known.zip
    for count in 0..<zip.count { #expect(error(Array(zip.prefix(count))) != nil, "\(count)") }
    for count in 1..<zip.count { #expect(error(Array(zip.dropFirst(count))) != nil, "\(count)") }
    #expect(error(zip + [0]) == .cutOff(part: "the end of the zip file"))
    #expect(error(zip.dropLast()) == .cutOff(part: "the end of the zip file"))
    #expect(error([]) == .empty(part: "the zip file"))
    #expect(error(Array("no zip file at all".utf8)) == .otherKind("zip file"))
    #expect(error([0] + zip) != nil)
    let data = try #require(zip.firstRange(of: Array("backup.sqlite3.encrypted".utf8)))
    #expect(error(zip[..<data.upperBound] + [0] + zip[data.upperBound...]) != nil)
  }

  /// Somebody may make the checksums anew: then only the keys show it.
  @Test(arguments: [
    "timestamp\":1672054688", "backup_version\":7", "device_name\":\"A", "ios\"", "-9709-",
  ])
  func `Changed metadata with good checksums do not open`(_ piece: String) throws {
    let backup = try SealVaultBackup(parsing: secret(known.zip), named: nil)
    let text = String(decoding: backup.metadata.canonical, as: UTF8.self)
    let last = try #require(piece.last { $0 != "\"" && $0 != "-" })
    let changed = text.replacing(piece, with: piece.replacing(String(last), with: "1"))
    try #require(changed != text)
    let zip = try ZipLibrary.archive(
      ZipLibrary.Member(name: "backup.sqlite3.encrypted", bytes: sealed()),
      ZipLibrary.Member(name: "metadata.json", bytes: secret(Array(changed.utf8))))
    #expect(throws: ForeignBackupError.wrongSecret(part: "the password with the KDF secret")) {
      try open(zip)
    }
  }

  /// The known file's encrypted database.
  private func sealed() throws -> SecretBytes {
    let zip = try known.zip
    let layout = try SealVaultLayout(secret(zip))
    let member = try #require(layout.members.first { $0.name != "metadata.json" })
    return try ZipLibrary.read(member.index, member.name, count: member.count, in: secret(zip))
  }

  @Test func `A name that says something else is refused, a foreign name is not`() throws {
    let zip = try known.zip
    let name = known.encryptedBackup.zipFileName
    #expect(error(zip, named: name) == nil)
    #expect(error(zip, named: "backup (1).zip") == nil)
    for (old, new) in [
      ("_7.zip", "_8.zip"), ("_ios_", "_macos_"), ("_167", "_168"), ("_v1_", "_v2_"),
    ] {
      #expect(
        error(zip, named: name.replacing(old, with: new))
          == .misnamed(right: name))
    }
  }

  @Test func `What is written opens, here and with the same name`() throws {
    let metadata = try SealVaultMetadata(
      version: 3, timestamp: 9, deviceID: "computer", deviceName: "Ünï", operatingSystem: "linux",
      kdfNonce: known.kdfNonce)
    let keys = try SealVaultKeys(
      password: known.password(), secret: known.kdfSecret, nonce: known.kdfNonce)
    let database = [UInt8]((0..<5000).map { UInt8($0 % 251) })
    let zip = try SealVaultBackup.write(secret(database), metadata, with: keys)
    let backup = try SealVaultBackup(parsing: secret(zip), named: metadata.name.text)
    #expect(backup.metadata == metadata)
    #expect(plain(try backup.open(with: keys)) == database)
    // Twice is never the same: the nonce is random.
    #expect(try SealVaultBackup.write(secret(database), metadata, with: keys) != zip)
  }

  @Test func `A member that claims too much is refused before anything is read`() throws {
    // Compressed zeroes: a zip bomb has nothing else.
    for (file, part) in [
      (
        "bomb.zip",
        ForeignBackupError.unsupported(part: "backup.sqlite3.encrypted, which is compressed,")
      ),
      ("third.zip", .damaged(part: "the number of members")),
      ("twice.zip", .damaged(part: "the name of a member")),
      ("folder.zip", .damaged(part: "the name of a member")),
    ] {
      #expect(error(try Vectors.bytes("sealvault-\(file)")) == part, "\(file)")
    }
    #expect(
      error([UInt8](repeating: 0, count: SealVaultBackup.sizeLimit + 1))
        == .tooLarge(part: "the zip file, in bytes,", limit: SealVaultBackup.sizeLimit))
  }
}

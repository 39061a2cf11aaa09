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
    for (place, parts) in try parts(of: zip) {
      for bit in 0..<8 {
        var changed = zip
        changed[place] ^= 1 << UInt8(bit)
        let words = error(changed)?.description ?? "nothing"
        #expect(
          parts.contains { words.contains($0) },
          "byte \(place), bit \(bit): \(words), not \(parts)")
      }
    }
  }

  /// Each byte of the known file, with the parts that a message may name for it.
  ///
  /// Of what the headers and the list both say, nobody knows which was changed.
  private func parts(of zip: [UInt8]) throws -> [(place: Int, parts: [String])] {
    let list = try #require(zip.firstRange(of: [0x50, 0x4B, 1, 2])).lowerBound
    let end = zip.count - 22
    let names = ["backup.sqlite3.encrypted", "metadata.json"]
    let second = try #require(zip[30...].firstRange(of: [0x50, 0x4B, 3, 4])).lowerBound
    return zip.indices.map { place in
      if place >= end { return (place, ["the end of the zip file", "the number of members"]) }
      let listed = ["the list in the zip file", "the name of a member"]
      if place >= list {
        let size = place < list + 46 + names[0].utf8.count ? 0 : 1
        return (place, listed + [names[size]])
      }
      return (place, listed + [names[place < second ? 0 : 1]])
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
  ///
  /// With costs that SealVault does not have: a changed nonce gives other keys.
  @Test func `A byte that is changed, put in or left out with good checksums does not open`()
    throws
  {
    let secret32 = known.kdfSecret
    func keys(_ nonce: [UInt8]) throws -> SealVaultKeys {
      try SealVaultKeys(
        password: known.password(), secret: secret32, nonce: nonce,
        cost: Argon2Library.Cost(memoryKiB: 8, passes: 1))
    }
    let metadata = try SealVaultBackup(parsing: secret(known.zip), named: nil).metadata
    let made = try SealVaultBackup.write(
      secret(bytes(known.encryptedBackup.plaintextHex)), metadata, with: keys(metadata.kdfNonce))
    let parts = [try member(0, of: made), try member(1, of: made)]
    func opens(_ parts: [[UInt8]]) throws -> ForeignBackupError? {
      let zip = try ZipLibrary.archive(
        ZipLibrary.Member(name: "backup.sqlite3.encrypted", bytes: secret(parts[0])),
        ZipLibrary.Member(name: "metadata.json", bytes: secret(parts[1])))
      do {
        let backup = try SealVaultBackup(parsing: secret(zip), named: nil)
        _ = try backup.open(with: keys(backup.metadata.kdfNonce)).count
        return nil
      } catch let error as ForeignBackupError {
        return error
      }
    }
    #expect(try opens(parts) == nil)
    let wrong = ForeignBackupError.wrongSecret(part: "the password with the KDF secret")
    var seen: [Set<String>] = [[], []]
    for (number, part) in parts.enumerated() {
      for place in part.indices {
        var (changed, grown, shorter) = (part, part, part)
        changed[place] ^= 1
        grown.insert(UInt8(ascii: "0"), at: place)
        shorter.remove(at: place)
        for other in [changed, grown, shorter] {
          var all = parts
          all[number] = other
          let error = try opens(all)
          #expect(error != nil, "byte \(place) of member \(number)")
          seen[number].insert(error?.description ?? "")
        }
      }
    }
    #expect(seen[0] == [wrong.description])
    let scheme = ForeignBackupError.unsupported(part: "the scheme that metadata.json names")
    #expect(
      seen[1] == [wrong.description, "metadata.json is damaged", scheme.description])
  }

  /// The bytes of a member.
  private func member(_ index: Int, of zip: [UInt8]) throws -> [UInt8] {
    let found = try SealVaultLayout(secret(zip)).members[index]
    return plain(try ZipLibrary.read(index, found.name, count: found.count, in: secret(zip)))
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

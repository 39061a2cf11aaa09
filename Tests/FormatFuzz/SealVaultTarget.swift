import ForeignBackups
import SecretMemory

/// SealVault's zip file, its metadata, its name, and the database inside.
enum SealVaultTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    var accepted = false
    if let metadata = try? SealVaultMetadata(parsing: bytes) {
      accepted = true
      must(metadata.canonical == bytes, "metadata that are not canonical")
      must(SealVaultName(metadata.name.text) == metadata.name, "a name that is not read again")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let name = SealVaultName(text) {
      accepted = true
      must(name.text == text, "a name that changes")
    }
    // As it is, and with the checksums of its members made right.
    let summed = summed(bytes)
    if opens(bytes) || (summed != bytes && opens(summed)) { accepted = true }
    if let inside = try? SealVaultDatabase(secret(bytes)), inside.isIntact {
      accepted = true
      must(bytes.count >= 512, "a database without a page")
    }
    _ = try? SealVaultPassword(parsing: secret(bytes))
    return accepted
  }

  private static func opens(_ zip: [UInt8]) -> Bool {
    guard let backup = try? SealVaultBackup(parsing: secret(zip), named: nil) else { return false }
    must(backup.digest.count == 32, "a digest of another size")
    must(
      (try? SealVaultMetadata(parsing: backup.metadata.canonical)) == backup.metadata,
      "metadata that change")
    must(
      (try? SealVaultBackup(parsing: secret(zip), named: backup.metadata.name.text)) != nil,
      "its own name is refused")
    return true
  }

  /// The zip file with the checksum of each member made right, as far as its list leads.
  private static func summed(_ zip: [UInt8]) -> [UInt8] {
    var zip = zip
    func number(_ start: Int, _ count: Int) -> Int {
      zip[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard zip.count > 22, zip.starts(with: [0x50, 0x4B]) else { return zip }
    var place = number(zip.count - 6, 4)
    while place + 46 <= zip.count - 22 {
      let (header, count) = (number(place + 42, 4), number(place + 24, 4))
      guard header + 30 <= zip.count else { break }
      let start = header + 30 + number(header + 26, 2)
      guard start + count <= zip.count else { break }
      let sum = crc(zip[start..<start + count])
      zip.replaceSubrange(header + 14..<header + 18, with: sum)
      zip.replaceSubrange(place + 16..<place + 20, with: sum)
      place += 46 + number(place + 28, 2)
    }
    return zip
  }

  /// The CRC-32 of bytes, the lowest byte first.
  private static func crc(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let sum = ~bytes.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
        sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
    return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }
}

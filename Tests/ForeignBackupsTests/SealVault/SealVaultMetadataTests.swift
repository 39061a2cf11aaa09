import Testing

@testable import ForeignBackups

struct SealVaultMetadataTests {
  private let text = Array(SealVaultVector.known.encryptedBackup.aadCanonicalJson.utf8)

  private func metadata(_ name: String) throws(ForeignBackupError) -> SealVaultMetadata {
    try SealVaultMetadata(
      version: 7, timestamp: 1_672_054_688, deviceID: "B92B17B9-24A0-48FC-9709-281B15639BD8",
      deviceName: name, operatingSystem: "ios", kdfNonce: SealVaultVector.known.kdfNonce)
  }

  @Test func `Metadata are read and written byte for byte`() throws {
    let read = try SealVaultMetadata(parsing: text)
    #expect(read.canonical == text)
    #expect(read == (try metadata("Agó\"s \\ iPhone")))
    #expect(read.name.text == SealVaultVector.known.encryptedBackup.zipFileName)
  }

  @Test func `A device's name is written in Unicode's form NFC`() throws {
    #expect(try metadata("Ago\u{301}\"s \\ iPhone").canonical == text)
  }

  /// SealVault writes such names and cannot read them back.
  @Test func `Control characters in a device's name are read but not written`() throws {
    let broken = String(decoding: text, as: UTF8.self).replacing(" iPhone", with: "\u{1}\n")
    let read = try SealVaultMetadata(parsing: Array(broken.utf8))
    #expect(read.deviceName == "Agó\"s \\\u{1}\n")
    #expect(read.canonical == Array(broken.utf8))
    #expect(throws: ForeignBackupError.self) { _ = try metadata("a\nb") }
    #expect(throws: ForeignBackupError.self) { _ = try metadata("") }
  }

  /// To Swift, a quotation mark with an accent is one character that is no quotation mark.
  @Test func `Quotation marks and backslashes are escaped before combining characters too`() throws
  {
    let made = try metadata("a\"\u{301}\\\u{FE0F}")
    let expected = String(decoding: text, as: UTF8.self).replacing(
      #"Agó\"s \\ iPhone"#, with: #"a\""# + "\u{301}" + #"\\"# + "\u{FE0F}")
    #expect(made.canonical == Array(expected.utf8))
    #expect(try SealVaultMetadata(parsing: made.canonical) == made)
  }

  @Test(arguments: [0, 4, 15, 17])
  func `A nonce of another size is the database's fault`(_ count: Int) {
    let damaged = ForeignBackupError.damaged(part: "the KDF nonce inside the database")
    #expect(throws: damaged) {
      _ = try SealVaultMetadata(
        version: 7, timestamp: 1, deviceID: "A", deviceName: "a", operatingSystem: "ios",
        kdfNonce: [UInt8](repeating: 1, count: count))
    }
  }

  @Test func `Another scheme is not supported`() throws {
    let other = String(decoding: text, as: UTF8.self).replacing("\"V1\"", with: "\"V2\"")
    #expect(throws: ForeignBackupError.unsupported(part: "the scheme that metadata.json names")) {
      _ = try SealVaultMetadata(parsing: Array(other.utf8))
    }
  }

  @Test(arguments: [
    (#""backup_version":7"#, #""backup_version":07"#),
    (#""backup_version":7"#, #""backup_version":-7"#),
    (#""backup_version":7"#, #""backup_version": 7"#),
    (#""backup_version":7"#, #""backup_version":7.0"#),
    (#""device_id":"B92"#, #""device_id":"../B92"#), ("Agó", "Ag\\u00f3"), ("Agó", "Ago\u{301}"),
    ("urw==", "urx=="), ("urw==", "urw"), (#""ios""#, #""""#), ("}", ",\"a\":1}"), ("}", "}\n"),
    ("1672054688", "99999999999999999999"),
  ])
  func `Anything but the canonical form is refused`(_ old: String, _ new: String) throws {
    let other = String(decoding: text, as: UTF8.self).replacing(old, with: new)
    #expect(Array(other.utf8) != text)
    #expect(throws: ForeignBackupError.damaged(part: "metadata.json")) {
      _ = try SealVaultMetadata(parsing: Array(other.utf8))
    }
  }
}

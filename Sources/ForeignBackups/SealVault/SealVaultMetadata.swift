internal import SecretMemory
@_spi(_Unicode) internal import Swift

/// The contents of `metadata.json`: in the open, and authenticated together with the database.
package struct SealVaultMetadata: Equatable, Sendable {
  /// The member's name in the zip file.
  package static let member = "metadata.json"
  /// The most bytes that are read.
  static let sizeLimit = 64 * 1024
  /// The scheme as the metadata writes it; the file's name has a small letter.
  private static let scheme = "V1"

  package let version: Int64
  /// Unix seconds.
  package let timestamp: Int64
  package let deviceID: String
  /// Any text that is not empty, also with control characters.
  package let deviceName: String
  package let operatingSystem: String
  /// 16 bytes.
  package let kdfNonce: [UInt8]

  /// The metadata of a new backup.
  ///
  /// - Throws: `refused` for a device ID or system that no name can hold. So for a device name with
  ///   control characters, which SealVault writes and cannot read back. `damaged` for a nonce of
  ///   another size, which comes from a database.
  package init(
    version: Int64, timestamp: Int64, deviceID: String, deviceName: String,
    operatingSystem: String, kdfNonce: [UInt8]
  ) throws(ForeignBackupError) {
    guard SealVaultName.isWord(deviceID), deviceID.utf8.count <= 100 else {
      throw .refused(
        part: "the device ID", advice: "give 1 to 100 letters, digits and hyphens")
    }
    guard SealVaultName.isWord(operatingSystem), operatingSystem.utf8.count <= 50 else {
      throw .refused(
        part: "the operating system", advice: "give 1 to 50 letters, digits and hyphens")
    }
    let isPlain = deviceName.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard !deviceName.isEmpty, isPlain, deviceName.utf8.count <= 1024 else {
      throw .refused(
        part: "the device's name", advice: "give 1 to 1024 bytes without control characters")
    }
    guard kdfNonce.count == SealVaultKeys.nonceSize else {
      throw .damaged(part: "the KDF nonce inside the database")
    }
    self.version = version
    self.timestamp = timestamp
    self.deviceID = deviceID
    self.deviceName = Self.normalised(deviceName)
    self.operatingSystem = operatingSystem
    self.kdfNonce = kdfNonce
  }

  /// Reads the metadata, which must be exactly what ``canonical`` writes.
  ///
  /// - Throws: `damaged`, `unsupported`, `tooLarge`.
  package init(parsing bytes: [UInt8]) throws(ForeignBackupError) {
    guard bytes.count <= Self.sizeLimit else {
      throw .tooLarge(part: "\(Self.member), in bytes,", limit: Self.sizeLimit)
    }
    var text = CanonicalText(bytes)
    try text.skip("{\"backup_scheme\":")
    let scheme = try text.string()
    try text.skip(",\"backup_version\":")
    version = try text.number()
    try text.skip(",\"device_id\":")
    deviceID = try text.string()
    try text.skip(",\"device_name\":")
    deviceName = try text.string()
    try text.skip(",\"kdf_nonce\":")
    let nonce = Array(try text.string().utf8)
    try text.skip(",\"operating_system\":")
    operatingSystem = try text.string()
    try text.skip(",\"timestamp\":")
    timestamp = try text.number()
    try text.skip("}")
    kdfNonce = unsafe Base64.decode(nonce.span.bytes, .standard) ?? []
    guard scheme == Self.scheme else {
      throw .unsupported(part: "the scheme that \(Self.member) names")
    }
    guard kdfNonce.count == SealVaultKeys.nonceSize, !deviceName.isEmpty,
      SealVaultName.isWord(deviceID), deviceID.utf8.count <= 100,
      SealVaultName.isWord(operatingSystem), operatingSystem.utf8.count <= 50, canonical == bytes
    else { throw CanonicalText.damaged }
  }

  /// The bytes of the member, which are authenticated as they are: OLPC's canonical JSON.
  package var canonical: [UInt8] {
    func quoted(_ text: String) -> String {
      var quoted = "\"".unicodeScalars
      // By scalars: with a combining one behind it, a quotation mark is another character.
      for scalar in Self.normalised(text).unicodeScalars {
        if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
        quoted.append(scalar)
      }
      quoted.append("\"")
      return String(quoted)
    }
    let text =
      "{\"backup_scheme\":\"\(Self.scheme)\",\"backup_version\":\(version)"
      + ",\"device_id\":\(quoted(deviceID)),\"device_name\":\(quoted(deviceName))"
      + ",\"kdf_nonce\":\(quoted(Base64.string(kdfNonce, .standard)))"
      + ",\"operating_system\":\(quoted(operatingSystem)),\"timestamp\":\(timestamp)}"
    return Array(text.utf8)
  }

  /// The file's name that belongs to it.
  package var name: SealVaultName {
    SealVaultName(
      operatingSystem: operatingSystem, timestamp: timestamp, deviceID: deviceID, version: version)
  }

  /// The text in Unicode's form NFC.
  private static func normalised(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text._nfc)
    return String(scalars)
  }
}

/// Canonical JSON, read piece by piece.
private struct CanonicalText {
  static let damaged = ForeignBackupError.damaged(part: SealVaultMetadata.member)

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads past an exact text.
  mutating func skip(_ text: String) throws(ForeignBackupError) {
    let expected = Array(text.utf8)
    guard bytes[position...].starts(with: expected) else { throw Self.damaged }
    position += expected.count
  }

  /// Reads a number that is not negative.
  mutating func number() throws(ForeignBackupError) -> Int64 {
    let digits = bytes[position...].prefix { (0x30...0x39).contains($0) }
    guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { throw Self.damaged }
    position += digits.count
    return number
  }

  /// Reads a string, in which only `"` and `\` are escaped.
  mutating func string() throws(ForeignBackupError) -> String {
    try skip("\"")
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        guard let text = String(validating: text, as: UTF8.self) else { throw Self.damaged }
        return text
      }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard position < bytes.count, [0x22, 0x5C].contains(bytes[position]) else {
        throw Self.damaged
      }
      text.append(bytes[position])
      position += 1
    }
    throw Self.damaged
  }
}

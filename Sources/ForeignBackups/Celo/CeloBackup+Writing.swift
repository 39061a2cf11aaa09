package import SecretMemory

extension CeloBackup {
  /// The most bytes that a new file takes, 2 MiB: base64 makes them a third longer.
  package static let dataLimit = 2 << 20

  /// Makes a file that scrypt alone hardens: the services that could do more are gone.
  ///
  /// - Parameters:
  ///   - data: what is backed up.
  ///   - password: as UTF-8.
  ///   - hardening: scrypt's costs.
  /// - Returns: the file, which was opened again.
  /// - Throws: `unhardened` for anything but scrypt, `tooLarge`, `outOfMemory`; `damaged` where what
  ///   was made does not open.
  package static func sealing(
    _ data: borrowing SecretBytes, password: borrowing SecretBytes,
    hardening: CeloHardening = .standard
  ) throws(ForeignBackupError) -> CeloBackup {
    guard case .scrypt = hardening else { throw .unhardened }
    guard data.count <= dataLimit else {
      throw .tooLarge(part: "the data, in bytes,", limit: dataLimit)
    }
    let nonce = Randomness.bytes(count: nonceSize)
    func backup(_ encryptedData: [UInt8]) -> CeloBackup {
      CeloBackup(
        encryptedData: encryptedData, nonce: nonce, odisDomain: nil, encryptedFuseKey: nil,
        hardening: hardening, environment: Environment(), metadata: nil, unknownFields: [])
    }
    let nothing = SecretBytes(zeroed: 0)
    let opening = try CeloOpening(backup([]), password: password, fuseKey: nothing)
    let key = try opening.finalKey(nothing)
    guard let encryptedData = AES256GCM.seal(data, key: key) else { throw .outOfMemory }
    let made = backup(encryptedData)
    // Read from its text and opened with the password, before anybody relies on it.
    let text = Array(made.json.utf8)
    let read = try unsafe CeloBackup(parsing: text.span.bytes)
    let opened = try CeloOpening(read, password: password, fuseKey: nothing).open(
      odisOutput: nothing)
    guard opened.isEqual(to: data) else { throw .damaged(part: "what was written") }
    return made
  }
}

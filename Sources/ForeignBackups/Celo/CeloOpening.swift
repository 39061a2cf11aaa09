package import SecretMemory

/// A file, with the key that its password and its fuse key give.
///
/// Still to be mixed in are the answer of ODIS, which is asked about that key, and the computation.
package struct CeloOpening: ~Copyable {
  private let backup: CeloBackup
  /// `updatedKey` in Celo's own program.
  private let key: SecretBytes

  /// Derives the key.
  ///
  /// - Parameters:
  ///   - backup: the file.
  ///   - password: the password or PIN, as UTF-8.
  ///   - fuseKey: the fuse key, 16 bytes; empty where the file has none.
  ///   - allowsUnhardened: whether a file that nothing hardens is opened.
  /// - Throws: `unhardened`; `missing` without a fuse key that is needed.
  package init(
    _ backup: CeloBackup, password: borrowing SecretBytes, fuseKey: borrowing SecretBytes,
    allowsUnhardened: Bool = false
  ) throws(ForeignBackupError) {
    guard backup.isHardened || allowsUnhardened else { throw .unhardened }
    key = try Self.key(backup, password, fuseKey)
    self.backup = backup
  }

  private static func key(
    _ backup: CeloBackup, _ password: borrowing SecretBytes, _ fuseKey: borrowing SecretBytes
  ) throws(ForeignBackupError) -> SecretBytes {
    var initial = CeloKeyMixer(.password)
    initial.add(password)
    initial.add(Array(backup.nonce.prefix(CeloBackup.nonceSize / 2)))
    guard backup.encryptedFuseKey != nil else { return initial.key() }
    guard fuseKey.count == CeloBackup.fuseKeySize else { throw .missing(part: "the fuse key") }
    var fused = CeloKeyMixer(.fuseKey)
    fused.add(initial.key())
    fused.add(fuseKey)
    return fused.key()
  }

  /// The message that ODIS is asked about, 32 bytes: as secret as the password.
  package borrowing func message() -> SecretBytes { key.copy() }

  /// Opens the file.
  ///
  /// - Parameter odisOutput: the answer of ODIS, 32 bytes; empty where the file needs none.
  /// - Returns: the data that was backed up.
  /// - Throws: `missing` without an answer that is needed, `wrongSecret`, `outOfMemory`.
  package borrowing func open(
    odisOutput: borrowing SecretBytes
  ) throws(ForeignBackupError) -> SecretBytes {
    let final = try finalKey(odisOutput)
    guard let data = AES256GCM.open(backup.encryptedData, key: final) else {
      var parts = ["the password"]
      if backup.encryptedFuseKey != nil { parts.append("the fuse key") }
      if backup.odisDomain != nil { parts.append("the output of ODIS") }
      throw .wrongSecret(part: parts.joined(separator: " or "))
    }
    return data
  }

  /// The key of the encrypted data.
  borrowing func finalKey(
    _ odisOutput: borrowing SecretBytes
  ) throws(ForeignBackupError) -> SecretBytes {
    var final = CeloKeyMixer(.finalization)
    final.add(key)
    if backup.odisDomain != nil {
      guard odisOutput.count == CeloBackup.odisOutputSize else {
        throw .missing(part: "the output of ODIS")
      }
      var mixer = CeloKeyMixer(.odisHardening)
      mixer.add(key)
      mixer.add(odisOutput)
      final.add(mixer.key())
    } else {
      final.add([])
    }
    if let hardening = backup.hardening {
      final.add(try hardening.harden(key))
    } else {
      final.add([])
    }
    return final.key()
  }
}

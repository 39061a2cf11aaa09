package import SecretMemory

/// The two keys of a SealVault backup, derived from the password and the KDF secret.
package struct SealVaultKeys: ~Copyable {
  /// The size of the KDF secret, 32 bytes.
  package static let secretSize = 32
  /// The size of the KDF nonce, 16 bytes.
  package static let nonceSize = 16

  /// Encrypts the database (SealVault: DB-BK).
  let database: SecretBytes
  /// Wraps the data key inside the database (SealVault: SK-BK).
  let dataKey: SecretBytes

  /// Derives both; takes about a second and 64 MiB.
  ///
  /// - Parameters:
  ///   - password: the password.
  ///   - secret: the KDF secret of the device, 32 bytes.
  ///   - nonce: 16 bytes, from the metadata.
  /// - Throws: `secretForm` for a secret of another size; `libraryMissing`; `outOfMemory`.
  package init(
    password: borrowing SealVaultPassword, secret: borrowing SecretBytes, nonce: [UInt8]
  ) throws(ForeignBackupError) {
    try self.init(
      password: password, secret: secret, nonce: nonce,
      cost: Argon2Library.Cost(memoryKiB: 65_536, passes: 10))
  }

  init(
    password: borrowing SealVaultPassword, secret: borrowing SecretBytes, nonce: [UInt8],
    cost: Argon2Library.Cost
  ) throws(ForeignBackupError) {
    guard secret.count == Self.secretSize else {
      throw .secretForm(part: "the KDF secret", form: "32 bytes, which are 64 hex digits")
    }
    let root = try Argon2Library.deriveKey(
      password: password.letters, secret: secret, salt: nonce, cost: cost)
    database = BLAKE3.deriveKey(
      context: "org.sealvault.backup.keys.database-backup-data-encryption-key unique suffix: "
        + "4dd843f710923a5ce96a974732c42b9b", material: root)
    dataKey = BLAKE3.deriveKey(
      context: "org.sealvault.backup.keys.secret-key-backup-key-encryption-key unique suffix: "
        + "ced64bf5a8364f2c90424c0efa869a86", material: root)
  }

  /// Unwraps the data key that is inside the database (SealVault: SK-DEK).
  ///
  /// - Throws: `damaged`.
  package func unwrap(_ wrapped: [UInt8]) throws(ForeignBackupError) -> SecretBytes {
    let failed = ForeignBackupError.damaged(part: "the data key inside the database")
    guard wrapped.count == 24 + 32 + 16 else { throw failed }
    var key = unsafe SecretBytes(copying: wrapped.span.bytes.extracting(24..<wrapped.count))
    do throws(SecretMemoryError) {
      try XChaCha20Poly1305.open(
        inPlace: &key, key: dataKey, nonce: Array(wrapped.prefix(24)),
        associatedData: Array("SK-DATA-ENCRYPTION-KEY".utf8))
    } catch {
      throw failed
    }
    return key
  }
}

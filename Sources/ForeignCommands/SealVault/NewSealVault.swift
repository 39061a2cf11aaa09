internal import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import SecretMemory

/// A new SealVault backup that was sealed and opened again, and has no name in a folder yet.
struct NewSealVault {
  /// The zip file.
  let bytes: [UInt8]
  /// The name of the file.
  let name: String
  let version: Int64
  /// SHA-256 of metadata and encrypted database, as hex digits.
  let digest: String

  /// Seals a database.
  ///
  /// - Parameters:
  ///   - database: its bytes.
  ///   - inside: what it says of itself.
  ///   - path: its file, for messages.
  ///   - metadata: of the backup.
  ///   - password: the password.
  ///   - secret: the KDF secret, 32 bytes.
  /// - Throws: `wrong-key` where they do not unwrap the data key in the database, `data-invalid`,
  ///   `io`, `library-missing`.
  init(
    _ database: borrowing SecretBytes, _ inside: SealVaultDatabase, from path: String,
    _ metadata: SealVaultMetadata, _ password: borrowing SealVaultPassword,
    _ secret: borrowing SecretBytes
  ) throws(UserMessage) {
    name = metadata.name.text
    version = metadata.version
    do throws(ForeignBackupError) {
      let keys = try SealVaultKeys(
        password: password, secret: secret, nonce: metadata.kdfNonce)
      if let wrapped = inside.wrappedKey { try Self.check(wrapped, keys) }
      let contents =
        inside.version == nil
        ? database.copy()
        : try SealVaultDatabase.copy(of: database, version: metadata.version)
      let zip = try SealVaultBackup.write(contents.copy(), metadata, with: keys)
      bytes = zip
      let again = try SealVaultBackup(
        parsing: unsafe SecretBytes(copying: zip.span.bytes), named: metadata.name.text)
      guard again.metadata == metadata, try again.open(with: keys).isEqual(to: contents) else {
        throw .damaged(part: "the new backup")
      }
      digest = Hex.string(again.digest)
    } catch .wrongSecret(part: Self.dataKey) {
      throw UserMessage(
        .wrongKey,
        "this password or KDF secret does not unwrap the data key in \(ShellWord.quoted(path))",
        hint: "use those of the earlier backups")
    } catch {
      throw UserMessage(error, in: path)
    }
  }

  private static let dataKey = "the data key"

  private static func check(
    _ wrapped: [UInt8], _ keys: borrowing SealVaultKeys
  ) throws(ForeignBackupError) {
    do throws(ForeignBackupError) {
      _ = try keys.unwrap(wrapped)
    } catch {
      throw .wrongSecret(part: dataKey)
    }
  }
}

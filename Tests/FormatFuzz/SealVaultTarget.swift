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
    if let backup = try? SealVaultBackup(parsing: secret(bytes), named: nil) {
      accepted = true
      must(backup.digest.count == 32, "a digest of another size")
      must(
        (try? SealVaultMetadata(parsing: backup.metadata.canonical)) == backup.metadata,
        "metadata that change")
    }
    if let inside = try? SealVaultDatabase(secret(bytes)), inside.isIntact {
      accepted = true
      must(bytes.count >= 512, "a database without a page")
    }
    _ = try? SealVaultPassword(parsing: secret(bytes))
    return accepted
  }
}

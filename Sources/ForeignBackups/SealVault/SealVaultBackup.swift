package import SecretMemory

/// A SealVault backup: a zip file with an encrypted SQLite database and its metadata.
package struct SealVaultBackup: ~Copyable {
  /// The largest database that is read or written, 64 MiB.
  package static let databaseLimit = 64 << 20
  /// The largest zip file that is read, in bytes.
  package static let sizeLimit = databaseLimit + SealVaultMetadata.sizeLimit + 4096
  private static let member = "backup.sqlite3.encrypted"
  private static let overhead = XChaCha20Poly1305.nonceSize + XChaCha20Poly1305.tagSize

  /// The file's own claims, not proved before ``open(with:)``.
  package let metadata: SealVaultMetadata
  /// The SHA-256 digest of metadata and encrypted database: the backup, whatever zip it is in.
  package let digest: [UInt8]
  private let sealed: SecretBytes

  /// Reads the zip file, with all checks that need no secret.
  ///
  /// - Parameters:
  ///   - zip: the whole file.
  ///   - name: the file's name; one that SealVault did not give claims nothing.
  /// - Throws: `damaged`, `otherKind`, `empty`, `cutOff`, `misnamed`, `unsupported`, `tooLarge`,
  ///   `libraryMissing`.
  package init(
    parsing zip: borrowing SecretBytes, named name: String?
  ) throws(ForeignBackupError) {
    guard zip.count <= Self.sizeLimit else {
      throw .tooLarge(part: "the zip file, in bytes,", limit: Self.sizeLimit)
    }
    let layout = try SealVaultLayout(zip)
    guard let text = layout.members.first(where: { $0.name == SealVaultMetadata.member }),
      let database = layout.members.first(where: { $0.name == Self.member })
    else { throw .damaged(part: "the name of a member") }
    guard text.count <= SealVaultMetadata.sizeLimit else {
      throw .tooLarge(part: "\(text.name), in bytes,", limit: SealVaultMetadata.sizeLimit)
    }
    guard database.count <= Self.databaseLimit + Self.overhead else {
      throw .tooLarge(part: "\(database.name), in bytes,", limit: Self.databaseLimit)
    }
    // At least one byte is encrypted.
    guard database.count > Self.overhead else { throw .damaged(part: Self.member) }
    let plain = try ZipLibrary.read(text.index, text.name, count: text.count, in: zip)
    let bytes = unsafe plain.withUnsafeBytes { unsafe Array($0) }
    let metadata = try SealVaultMetadata(parsing: bytes)
    if let name = name.flatMap(SealVaultName.init), name != metadata.name {
      throw .misnamed(right: metadata.name.text)
    }
    let sealed = try ZipLibrary.read(database.index, database.name, count: database.count, in: zip)
    var hash = SHA256()
    plain.withBytes { hash.update($0) }
    sealed.withBytes { hash.update($0) }
    digest = hash.finalize()
    self.metadata = metadata
    self.sealed = sealed
  }

  /// Decrypts the database; metadata and database are proved to belong together then.
  ///
  /// - Parameter keys: the keys for the metadata's nonce.
  /// - Returns: the database file.
  /// - Throws: `wrongSecret`, also where metadata or database were changed by somebody who made the
  ///   zip's checksums again: no one can tell these apart.
  package func open(with keys: borrowing SealVaultKeys) throws(ForeignBackupError) -> SecretBytes {
    let size = XChaCha20Poly1305.nonceSize
    let nonce = unsafe sealed.withUnsafeBytes { unsafe Array($0.prefix(size)) }
    var database = sealed.copy(size..<sealed.count)
    do throws(SecretMemoryError) {
      try XChaCha20Poly1305.open(
        inPlace: &database, key: keys.database, nonce: nonce, associatedData: metadata.canonical)
    } catch {
      throw .wrongSecret(part: "the password with the KDF secret")
    }
    return database
  }

  /// Encrypts a database into a new zip file.
  ///
  /// - Parameters:
  ///   - database: the database file, 1 byte to 64 MiB.
  ///   - metadata: what it says of itself.
  ///   - keys: the keys for the metadata's nonce.
  /// - Returns: the zip file.
  /// - Throws: `tooLarge`, `damaged` for an empty one, `libraryMissing`, `unusable`.
  package static func write(
    _ database: consuming SecretBytes, _ metadata: SealVaultMetadata,
    with keys: borrowing SealVaultKeys
  ) throws(ForeignBackupError) -> [UInt8] {
    guard database.count > 0 else { throw .damaged(part: "the database") }
    guard database.count <= databaseLimit else {
      throw .tooLarge(part: "the database, in bytes,", limit: databaseLimit)
    }
    let nonce = Randomness.bytes(count: XChaCha20Poly1305.nonceSize)
    let text = metadata.canonical
    var message = consume database
    do throws(SecretMemoryError) {
      try XChaCha20Poly1305.seal(
        inPlace: &message, key: keys.database, nonce: nonce, associatedData: text)
    } catch {
      throw .damaged(part: "the database")
    }
    var sealed = SecretBytes(zeroed: nonce.count + message.count)
    sealed.withMutableBytes { target in
      for (place, byte) in nonce.enumerated() {
        target.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
      }
    }
    unsafe sealed.withUnsafeMutableBytes { target in
      unsafe message.withUnsafeBytes { message in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[nonce.count...])
          .copyMemory(from: message)
      }
    }
    return try ZipLibrary.archive(
      ZipLibrary.Member(name: member, bytes: sealed),
      ZipLibrary.Member(
        name: SealVaultMetadata.member, bytes: unsafe SecretBytes(copying: text.span.bytes)))
  }
}

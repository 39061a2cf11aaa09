public import CSPP
internal import SecretMemory

extension FolderLayout {
  /// The path of a key slot's file, relative to its namespace's folder.
  static func keyFilePath(_ key: KeyID) -> String { "\(ownFolder)/\(keyFolder)/\(keyFile(key))" }
}

extension Namespace {
  /// The bytes of a key slot's own file.
  ///
  /// - Parameter key: the key slot.
  /// - Returns: nil when the folder has no such file.
  /// - Throws: ``BackupFolderError/incomplete(path:)`` and other system errors.
  public func keyFile(of key: KeyID) throws(BackupFolderError) -> [UInt8]? {
    try keyFileBytes(of: key)
  }
}

extension Namespace {
  /// Writes a file of `keys/` durably.
  ///
  /// It takes the place of a file that has the name. Nothing names that one: the slot is being made.
  func writeKeyFile(
    _ bytes: [UInt8], of key: KeyID, tag: String, check: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) {
    let folder = try makeKeyFolder()
    let file = try staged(bytes, in: folder, tag: tag, check: check)
    if try !file.place(new: FolderLayout.keyFile(key)) {
      try file.place(overwriting: FolderLayout.keyFile(key))
    }
    try folder.sync()
  }

  /// Seals the master key for a security key, as a CSPP envelope.
  func sealEnvelope(
    _ masterKey: borrowing MasterKey, for reference: MasterKeyEnvelope.KeyReference,
    prfSalt: [UInt8], secret: borrowing SecretBytes
  ) throws(BackupFolderError) -> [UInt8] {
    let now = settings.clock()
    do {
      return try MasterKeyEnvelope.seal(
        masterKey, prfOutput: secret, prfSalt: prfSalt, keyReference: reference,
        createdAt: now, updatedAt: now)
    } catch {
      throw .internalError("sealing the envelope: \(error)")
    }
  }

  /// Writes the CSPP envelope durably and opens it with the key's secret.
  ///
  /// An existing envelope stays as it is.
  ///
  /// - Returns: whether it was written.
  func writeEnvelope(
    _ bytes: [UInt8], secret: borrowing SecretBytes, tag: String
  ) throws(BackupFolderError) -> Bool {
    let folder = try directory.makeSubdirectory(FolderLayout.masterKeyFolder)
    return try write(bytes, FolderLayout.masterKeyFile, in: folder, tag: tag) { back in
      guard let read = try? MasterKeyEnvelope(parsing: back, at: id) else { return false }
      return (try? read.open(prfOutput: secret, namespaceID: id)) != nil
    }
  }

  private func write(
    _ bytes: [UInt8], _ name: String, in folder: Directory, tag: String,
    check: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) -> Bool {
    let file = try staged(bytes, in: folder, tag: tag, check: check)
    let written = try file.place(new: name)
    try folder.sync()
    return written
  }

  /// A file that was written durably and read back, and has no name yet.
  private func staged(
    _ bytes: [UInt8], in folder: Directory, tag: String, check: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) -> AtomicFile {
    let file = try unsafe AtomicFile(staging: bytes.span.bytes, in: folder, tag: tag)
    var buffer = FileBuffer()
    try file.settle(buffer: &buffer) { back in
      Digest(of: back) == Digest(of: bytes.span) && check(back)
    }
    return file
  }
}

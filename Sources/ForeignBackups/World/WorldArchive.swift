package import SecretMemory

/// A World App archive that was opened and checked from end to end.
///
/// Its seal is anonymous: anyone who has the backup's public key can make one. That it opens proves
/// that nobody changed it since, and nothing of who wrote it.
package struct WorldArchive: ~Copyable {
  /// The part that a file is at fault in which the keypair does not open.
  package static let seal = "the seal of the archive"

  /// The name of the entry with the version, one byte.
  private static let versionName = "OXIDE_BACKUP_VERSION"
  /// The name of the entry with the root secret.
  package static let rootSecretName = "root_secret.json"

  /// The files, in the order of the archive.
  package let files: [WorldFile]
  /// The unpacked archive.
  private let tar: SecretBytes
  private let rootSecretRange: Range<Int>

  /// Opens a sealed archive, and reads all of it once.
  ///
  /// - Parameters:
  ///   - sealed: the file.
  ///   - secret: the secret half of the backup keypair, 32 bytes.
  /// - Throws: ``ForeignBackupError``, with the part that is at fault.
  package init(
    sealed: [UInt8], secret: borrowing SecretBytes
  ) throws(ForeignBackupError) {
    guard sealed.count <= WorldLimits.sealedArchive else {
      throw .tooLarge(part: "the sealed archive, in bytes,", limit: WorldLimits.sealedArchive)
    }
    let packed: SecretBytes
    do throws(SecretMemoryError) {
      packed = try SealedBox.open(sealed, secret: secret)
    } catch {
      throw .damaged(part: Self.seal)
    }
    try self.init(tar: try Gunzip.unpack(packed, limit: WorldLimits.archive))
  }

  /// Reads an archive that is unpacked.
  ///
  /// - Throws: as ``init(sealed:secret:)``.
  package init(tar: consuming SecretBytes) throws(ForeignBackupError) {
    let entries = try TarEntry.list(
      tar, limit: WorldLimits.files + 2, sizeLimit: WorldLimits.entry)
    guard let version = entries.first, version.name == Self.versionName else {
      throw .damaged(part: "the archive, which does not begin with its version,")
    }
    guard version.range.count == 1, tar.copy(version.range).withBytes({ $0.isZero }) else {
      throw .unsupported(part: "the archive, by its version,")
    }
    var root: Range<Int>?
    var files: [WorldFile] = []
    var paths = WorldPaths(reserved: [Self.versionName, Self.rootSecretName])
    var data = SecretBytes(zeroed: 0)
    for entry in entries.dropFirst() {
      if entry.name == Self.rootSecretName {
        guard root == nil else { throw .damaged(part: "the archive, with two root secrets,") }
        root = entry.range
        continue
      }
      let file = try tar.withBytes { (tar) throws(ForeignBackupError) in
        try Self.file(entry, in: tar, data: &data)
      }
      guard paths.insert(file.path) else {
        throw .damaged(part: "the archive, where another file stands in the way of \(entry.name),")
      }
      files.append(file)
    }
    guard let root else { throw .damaged(part: "the archive, which has no root secret,") }
    _ = try tar.withBytes { (tar) throws(ForeignBackupError) in
      try WorldRootSecret(parsing: tar.extracting(root))
    }
    self.tar = tar
    self.files = files
    rootSecretRange = root
  }

  /// Decodes and checks one file.
  private static func file(
    _ entry: TarEntry, in tar: RawSpan, data: inout SecretBytes
  ) throws(ForeignBackupError) -> WorldFile {
    let body: WorldEntry
    let reader = try CBORStream()
    do throws(WorldEntry.Malformed) {
      body = try WorldEntry(tar.extracting(entry.range), reader, data: &data)
    } catch {
      throw .damaged(part: "the \(error.field) of the entry \(entry.name)")
    }
    // As bytes: to `==` of strings, one letter in two compositions is the same.
    guard body.path.utf8.elementsEqual(entry.name.utf8) else {
      throw .damaged(part: "the entry \(entry.name), which names another path inside,")
    }
    guard let path = WorldPath(entry.name) else {
      throw .damaged(part: "the path \(entry.name), which no file may have,")
    }
    guard data.withBytes({ BLAKE3.hash($0) }) == body.checksum else {
      throw .damaged(part: "the contents of \(entry.name), by their checksum,")
    }
    return WorldFile(
      path: path, designator: body.designator, checksum: body.checksum, size: data.count,
      range: entry.range)
  }

  /// The root secret.
  ///
  /// - Throws: ``ForeignBackupError``.
  package func rootSecret() throws(ForeignBackupError) -> WorldRootSecret {
    try tar.withBytes { (tar) throws(ForeignBackupError) in
      try WorldRootSecret(parsing: tar.extracting(rootSecretRange))
    }
  }

  /// `root_secret.json` as it stands in the archive.
  package func rootSecretText() -> SecretBytes { tar.copy(rootSecretRange) }

  /// The contents of a file, compared with its checksum once more.
  ///
  /// - Parameter file: of ``files``.
  /// - Returns: the contents.
  /// - Throws: ``ForeignBackupError``.
  package func contents(of file: WorldFile) throws(ForeignBackupError) -> SecretBytes {
    var data = SecretBytes(zeroed: 0)
    let entry = TarEntry(name: file.path.text, range: file.range)
    _ = try tar.withBytes { (tar) throws(ForeignBackupError) in
      try Self.file(entry, in: tar, data: &data)
    }
    return data
  }
}

extension RawSpan {
  /// Whether the first byte is zero.
  fileprivate var isZero: Bool { unsafe unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0 }
}

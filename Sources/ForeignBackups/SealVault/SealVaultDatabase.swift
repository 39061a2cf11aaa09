package import SecretMemory

/// The rows about backups in SealVault's database.
package struct SealVaultDatabase: Equatable, Sendable {
  /// Whether SQLite opens it and finds no fault.
  package let isIntact: Bool
  /// The version of the backup that it is in; nil for the database of another program.
  package let version: Int64?
  /// The KDF nonce that the data key is wrapped under.
  package let kdfNonce: [UInt8]?
  /// The wrapped data key, nonce and tag included.
  package let wrappedKey: [UInt8]?

  /// Looks into a database's bytes, which are not changed.
  ///
  /// - Throws: `libraryMissing`; `unusable` without memory, and where the task was cancelled.
  package init(_ bytes: borrowing SecretBytes) throws(ForeignBackupError) {
    let isDatabase = bytes.withBytes { bytes in
      bytes.byteCount >= SQLiteDatabase.magic.count
        && SQLiteDatabase.magic.indices.allSatisfy { place in
          unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
            == SQLiteDatabase.magic[place]
        }
    }
    self.init(isIntact: false, version: nil, kdfNonce: nil, wrappedKey: nil)
    guard isDatabase else { return }
    let waiting = OwnThread.Waiting()
    let opened = try Opened(SQLiteDatabase.copying(bytes, for: waiting))
    do throws(ForeignBackupError) {
      self = try OwnThread.result(within: Self.patience, waiting) { Self(opened.database) }
    } catch {
      // One that SQLite does not get through is none that is intact; its bytes are of use still.
      if Task.isCancelled { throw error }
    }
  }

  /// The seconds of the processor after which nobody waits for SQLite any more: its own limits
  /// come first, unless one call takes so long.
  private static let patience = 25

  /// A database that another thread uses.
  private final class Opened: Sendable {
    let database: SQLiteDatabase
    init(_ database: consuming SQLiteDatabase) { self.database = database }
  }

  private init(_ database: borrowing SQLiteDatabase) {
    isIntact = Self.isIntact(database)
    version =
      switch Self.only("SELECT backup_version FROM local_settings LIMIT 2", in: database) {
      case .integer(let number)?: number
      default: nil
      }
    kdfNonce = Self.bytes(
      "SELECT backup_kdf_nonce FROM local_settings LIMIT 2", in: database)
    wrappedKey = Self.bytes(
      "SELECT encrypted_dek FROM local_encrypted_deks WHERE kek_name = "
        + "'SECRET-KEY-BACKUP-KEY-ENCRYPTION-KEY' LIMIT 2", in: database)
  }

  private static func isIntact(_ database: borrowing SQLiteDatabase) -> Bool {
    let check = try? database.rows("PRAGMA integrity_check(1)", .whole)
    return check == [[.bytes(Array("ok".utf8))]]
  }

  private init(isIntact: Bool, version: Int64?, kdfNonce: [UInt8]?, wrappedKey: [UInt8]?) {
    self.isIntact = isIntact
    self.version = version
    self.kdfNonce = kdfNonce
    self.wrappedKey = wrappedKey
  }

  /// The value of a statement with one row and one column; nil where there is none such.
  private static func only(
    _ statement: String, in database: borrowing SQLiteDatabase
  ) -> SQLiteDatabase.Value? {
    guard let rows = try? database.rows(statement), rows.count == 1, rows[0].count == 1 else {
      return nil
    }
    return rows[0][0]
  }

  private static func bytes(
    _ statement: String, in database: borrowing SQLiteDatabase
  ) -> [UInt8]? {
    if case .bytes(let bytes)? = only(statement, in: database) { return bytes }
    return nil
  }

  // MARK: Copies

  /// A copy of a database file, with everything that its log (WAL) held.
  ///
  /// The log is brought into the file first, as SealVault does, and nobody can write meanwhile.
  ///
  /// - Parameter path: the file.
  /// - Returns: a copy that SQLite opened and found no fault in.
  /// - Throws: `otherKind` for another file, `empty` without any table, `unusable` for a file that
  ///   SQLite does not open, `busy`, `tooLarge`, `damaged`.
  package static func copy(of path: String) throws(ForeignBackupError) -> SecretBytes {
    let waiting = OwnThread.Waiting()
    return try OwnThread.result(within: patience, waiting) { () throws(ForeignBackupError) in
      try copy(SQLiteDatabase.at(path, for: waiting), waiting)
    }
  }

  private static func copy(
    _ database: consuming SQLiteDatabase, _ waiting: OwnThread.Waiting
  ) throws(ForeignBackupError) -> SecretBytes {
    let checkpoint = try database.rows("PRAGMA wal_checkpoint(FULL)")
    guard case .integer(0)? = checkpoint.first?.first else {
      throw .busy(part: "the database")
    }
    _ = try database.rows("BEGIN IMMEDIATE")
    guard case .integer(let pages)? = try database.rows("PRAGMA page_count").first?.first,
      case .integer(let size)? = try database.rows("PRAGMA page_size").first?.first
    else { throw .damaged(part: "the database") }
    guard pages <= Int64(SealVaultBackup.databaseLimit) / max(size, 512) else {
      throw .tooLarge(part: "the database, in bytes,", limit: SealVaultBackup.databaseLimit)
    }
    // SQLite takes an empty file for a database.
    guard try !database.rows("SELECT 1 FROM sqlite_master LIMIT 1").isEmpty else {
      throw .empty(part: "the database")
    }
    let copy = try database.serialize()
    _ = try database.rows("ROLLBACK")
    guard isIntact(try SQLiteDatabase.copying(copy, for: waiting)) else {
      throw .damaged(part: "the database")
    }
    return copy
  }

  /// A copy whose own version number is another one.
  ///
  /// - Parameters:
  ///   - bytes: a database of SealVault's.
  ///   - version: the number.
  /// - Returns: the copy.
  /// - Throws: `damaged`, `unusable`.
  package static func copy(
    of bytes: borrowing SecretBytes, version: Int64
  ) throws(ForeignBackupError) -> SecretBytes {
    let waiting = OwnThread.Waiting()
    let opened = try Opened(SQLiteDatabase.copying(bytes, for: waiting))
    let copy = try OwnThread.result(within: patience, waiting) { () throws(ForeignBackupError) in
      try Self.copy(of: opened.database, version: version)
    }
    let inside = try SealVaultDatabase(copy)
    guard inside.isIntact, inside.version == version else { throw .damaged(part: "the database") }
    return copy
  }

  private static func copy(
    of database: borrowing SQLiteDatabase, version: Int64
  ) throws(ForeignBackupError) -> SecretBytes {
    // It would change the copy in ways that nobody asked for.
    let triggers = try database.rows(
      "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND lower(tbl_name) = 'local_settings'")
    guard triggers.isEmpty else {
      throw .refused(
        part: "a database with a trigger on local_settings,",
        advice: "make a copy of it without the trigger: DROP TRIGGER")
    }
    _ = try database.rows("UPDATE local_settings SET backup_version = ?", number: version)
    return try database.serialize()
  }
}

import FoundationEssentials
import Glibc
import SecretMemory
import Testing

@testable import ForeignBackups

struct SealVaultDatabaseTests {
  private let folder = FileManager.default.temporaryDirectory.path() + "/sealvault-\(UUID())"

  /// Runs statements on a new database file.
  private func database(_ statements: String...) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/db.sqlite3"
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    let made = try SQLiteDatabase.at(path)
    for statement in statements { _ = try made.rows(statement) }
    return path
  }

  private static let settings = [
    "CREATE TABLE local_settings (id TEXT, backup_version INTEGER, backup_kdf_nonce BLOB)",
    "INSERT INTO local_settings VALUES ('local_settings', 6, x'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf')",
    "CREATE TABLE local_encrypted_deks (dek_id TEXT, encrypted_dek BLOB, kek_name TEXT)",
    "INSERT INTO local_encrypted_deks VALUES ('a', x'01', 'SK-KEY-ENCRYPTION-KEY')",
    "INSERT INTO local_encrypted_deks VALUES ('a', x'0203', 'SECRET-KEY-BACKUP-KEY-ENCRYPTION-KEY')",
  ]

  @Test(arguments: ["DELETE", "WAL"])
  func `A copy holds what is in the file and its log`(_ mode: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database()
    // It stays open: the log is not brought into the file by closing it.
    let user = try SQLiteDatabase.at(path)
    _ = try user.rows("PRAGMA journal_mode = \(mode)")
    for statement in Self.settings { _ = try user.rows(statement) }
    let copy = try SealVaultDatabase.copy(of: path)
    let inside = try SealVaultDatabase(copy)
    #expect(inside.isIntact && inside.version == 6)
    #expect(inside.kdfNonce == SealVaultVector.known.kdfNonce)
    #expect(inside.wrappedKey == [2, 3])
    let later = try SealVaultDatabase.copy(of: copy, version: 7)
    #expect(try SealVaultDatabase(later).version == 7)
    // Neither copy changed the file.
    #expect(try user.rows("SELECT backup_version FROM local_settings") == [[.integer(6)]])
  }

  @Test func `A database that is in use is told apart from one that is damaged`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database("CREATE TABLE t (a)")
    let user = try SQLiteDatabase.at(path)
    _ = try user.rows("BEGIN EXCLUSIVE")
    #expect(throws: ForeignBackupError.busy(part: "the database")) {
      try SealVaultDatabase.copy(of: path).count
    }
    _ = try user.rows("ROLLBACK")
    #expect(try SealVaultDatabase.copy(of: path).count > 0)
  }

  @Test func `A file that is no database is refused`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database("CREATE TABLE t (a)", "INSERT INTO t VALUES (zeroblob(9000))")
    let good = try [UInt8](Data(contentsOf: URL(filePath: path)))
    for (contents, error) in [
      (Array(good.prefix(5000)), .damaged(part: "the database")),
      (
        good.enumerated().map { $0.offset / 4096 == 1 ? 0xFF : $0.element },
        .damaged(part: "the database")
      ),
      (
        Array("no database at all, just some text of a hundred bytes or more, so it is".utf8),
        .otherKind("SQLite database")
      ),
      ([], .empty(part: "the database")),
    ] as [([UInt8], ForeignBackupError)] {
      try Data(contents).write(to: URL(filePath: path))
      #expect(throws: error) {
        try SealVaultDatabase.copy(of: path).count
      }
      #expect(try SealVaultDatabase(secret(contents)).isIntact == false)
    }
    #expect(throws: ForeignBackupError.self) {
      try SealVaultDatabase.copy(of: folder + "/missing").count
    }
    #expect(!FileManager.default.fileExists(atPath: folder + "/missing"))
  }

  @Test(arguments: ["UTF-8", "UTF-16", "UTF-16be"])
  func `A database's encoding does not matter`(_ encoding: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database()
    let user = try SQLiteDatabase.at(path)
    for statement in ["PRAGMA encoding = '\(encoding)'"] + Self.settings {
      _ = try user.rows(statement)
    }
    #expect(try user.rows("PRAGMA encoding").count == 1)
    let inside = try SealVaultDatabase(SealVaultDatabase.copy(of: path))
    #expect(inside.isIntact && inside.version == 6 && inside.wrappedKey == [2, 3])
  }

  @Test func `Nothing is written beside the database, and no view asks for a gigabyte`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let user = try SQLiteDatabase.at(database())
    #expect(try user.rows("PRAGMA temp_store") == [[.integer(2)]])
    #expect(try user.rows("SELECT length(randomblob(1000000))") == [[.integer(1_000_000)]])
    #expect(throws: ForeignBackupError.self) {
      try user.rows("SELECT length(randomblob(100000000))")
    }
  }

  private static let endless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x)"

  @Test func `A view without an end is given up`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let inside = try SealVaultDatabase(
      SealVaultDatabase.copy(
        of: database(
          "CREATE TABLE t (a)",
          "CREATE VIEW local_settings AS \(Self.endless) AS backup_version FROM n")))
    #expect(inside.isIntact && inside.version == nil)
  }

  @Test func `A statement ends with the task that runs it`() async throws {
    func seconds() -> Int {
      var time = timespec()
      unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec
    }
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      let database = try SQLiteDatabase.copying(secret([]))
      let start = seconds()
      #expect(throws: ForeignBackupError.self) {
        try database.rows("\(Self.endless) FROM n", .whole)
      }
      // By itself it would go on for 20 seconds of the processor.
      #expect(seconds() - start < 10)
    }
    task.cancel()
    try await task.value
  }

  @Test func `A database over the limit is refused before it is copied`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database("CREATE TABLE t (a)")
    let user = try SQLiteDatabase.at(path)
    // No single value may be as large as that.
    let rows = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 8) "
    for _ in 0..<9 { _ = try user.rows("INSERT INTO t \(rows) SELECT zeroblob(1000000) FROM n") }
    #expect(
      throws: ForeignBackupError.tooLarge(
        part: "the database, in bytes,", limit: SealVaultBackup.databaseLimit)
    ) { try SealVaultDatabase.copy(of: path).count }
  }

  /// One call that compares billions of bytes: SQLite looks at no clock meanwhile.
  @Test func `A slow function in an index does not keep a task that was cancelled`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database(
      "CREATE TABLE t (a, b)", "CREATE INDEX i ON t (length(a))",
      "INSERT INTO t VALUES (printf('%.*c', 300000, 'a'), printf('%.*cb', 100000, 'a'))",
      "PRAGMA writable_schema = ON",
      "UPDATE sqlite_master SET sql = 'CREATE INDEX i ON t (instr(a, b))' WHERE name = 'i'")
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      #expect(throws: ForeignBackupError.self) { try SealVaultDatabase(secret(bytes)) }
    }
    task.cancel()
    await task.value
  }

  @Test func `A database of another program has no version and no key`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let inside = try SealVaultDatabase(
      SealVaultDatabase.copy(of: database("CREATE TABLE t (a)")))
    #expect(inside.isIntact)
    #expect(inside.version == nil && inside.kdfNonce == nil && inside.wrappedKey == nil)
  }
}

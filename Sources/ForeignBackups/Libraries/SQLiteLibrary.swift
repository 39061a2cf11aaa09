internal import CSQLite
internal import Glibc
internal import SecretMemory

/// libsqlite3: a database in a file or in memory.
@safe
struct SQLiteDatabase: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: the value is the only owner of the connection.

  /// A value of a row.
  enum Value: Equatable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    /// Of another type, or over the limit.
    case other
  }

  /// The first bytes of every database.
  static let magic = Array("SQLite format 3\0".utf8)
  /// The largest value that is taken from a row, in bytes.
  private static let valueLimit = 64 * 1024
  /// How much a statement goes through.
  enum Extent {
    /// A few rows, which a view may make as many as it likes.
    case few
    /// All of the database.
    case whole

    /// The seconds of the processor that it may take.
    fileprivate var seconds: Int64 {
      switch self {
      case .few: 1
      case .whole: 20
      }
    }

    /// The largest value that SQLite makes, in bytes: a view may ask for any size.
    fileprivate var length: Int32 {
      switch self {
      case .few: 1 << 20
      case .whole: 64 << 20
      }
    }
  }

  /// The steps of SQLite's machine after which time and signals are looked at.
  private static let steps: Int32 = 1000

  private let sqlite: keybackup_sqlite
  private let handle: OpaquePointer
  private let patience: Patience

  /// Ends a statement between two steps.
  private final class Patience {
    /// When the running statement is ended, by this thread's clock of the processor.
    var end: Int64 = 0
    /// Who waits for the thread that this runs on; nil: the caller itself.
    let waiting: OwnThread.Waiting?

    init(_ waiting: OwnThread.Waiting?) { self.waiting = waiting }

    /// A signal cancels the task that runs this.
    var isOver: Bool {
      Task.isCancelled || waiting?.goesOn == false || SQLiteDatabase.now() > end
    }
  }

  private static let loaded = open("libsqlite3.so.0")

  /// Finds the functions in a library; nil if it is missing or lacks one of them.
  static func open(_ library: String) -> keybackup_sqlite? {
    var functions = keybackup_sqlite()
    return unsafe keybackup_open_sqlite(library, &functions) == 1 ? functions : nil
  }

  private init(
    _ sqlite: keybackup_sqlite, _ handle: OpaquePointer, _ waiting: OwnThread.Waiting?
  ) {
    self.sqlite = sqlite
    unsafe self.handle = handle
    patience = Patience(waiting)
    unsafe sqlite.sqlite3_progress_handler(
      handle, Self.steps,
      { patience in
        guard let patience = unsafe patience else { return 1 }
        return unsafe Unmanaged<Patience>.fromOpaque(patience).takeUnretainedValue().isOver ? 1 : 0
      }, Unmanaged.passUnretained(patience).toOpaque())
    _ = unsafe sqlite.sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    // Some patterns take longer than anybody waits, in one step.
    _ = unsafe sqlite.sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100)
    _ = unsafe sqlite.sqlite3_busy_timeout(handle, 5000)
  }

  private static func connect(
    _ path: String, _ flags: Int32, _ waiting: OwnThread.Waiting?
  ) throws(ForeignBackupError) -> SQLiteDatabase {
    guard let sqlite = loaded else {
      throw .libraryMissing(name: "libsqlite3", package: "libsqlite3-0")
    }
    var handle: OpaquePointer?
    let code = unsafe sqlite.sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe handle else {
      _ = unsafe sqlite.sqlite3_close_v2(handle)
      throw .unusable(part: "the database", reason: "SQLite does not open the file")
    }
    let database = unsafe SQLiteDatabase(sqlite, handle, waiting)
    _ = try database.rows("PRAGMA trusted_schema = OFF")
    _ = try database.rows("PRAGMA cell_size_check = ON")
    // What SQLite sorts would go into files under /var/tmp, unencrypted.
    _ = try database.rows("PRAGMA temp_store = MEMORY")
    return database
  }

  deinit {
    _ = unsafe sqlite.sqlite3_close_v2(handle)
  }

  /// The nanoseconds of the processor that this thread has used.
  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Opens a file that is there.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - waiting: who waits for the thread that uses it; nil: the caller itself.
  /// - Returns: the database.
  /// - Throws: `unusable`.
  static func at(
    _ path: String, for waiting: OwnThread.Waiting? = nil
  ) throws(ForeignBackupError) -> SQLiteDatabase {
    try connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE, waiting)
  }

  /// Opens a copy of a database's bytes, in memory.
  ///
  /// A database whose header says that it has a log beside it (WAL) opens, too. SQLite keeps no
  /// log in memory, so the copy's header says that there is none.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - waiting: who waits for the thread that uses it; nil: the caller itself.
  /// - Returns: the copy.
  /// - Throws: `unusable`.
  static func copying(
    _ bytes: borrowing SecretBytes, for waiting: OwnThread.Waiting? = nil
  ) throws(ForeignBackupError) -> SQLiteDatabase {
    let database = try connect(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, waiting)
    let count = bytes.count
    guard let copy = database.sqlite.sqlite3_malloc64(UInt64(max(count, 1))) else {
      throw .unusable(part: "the database", reason: "no memory")
    }
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: copy, count: count).copyMemory(from: bytes)
    }
    let start = unsafe copy.assumingMemoryBound(to: UInt8.self)
    if count >= 100, unsafe start[18] == 2, unsafe start[19] == 2 {
      unsafe start[18] = 1
      unsafe start[19] = 1
    }
    // SQLite frees the copy, also where this fails.
    let code = unsafe database.sqlite.sqlite3_deserialize(
      database.handle, "main", start, Int64(count), Int64(count),
      UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE))
    guard code == SQLITE_OK else {
      throw .unusable(part: "the database", reason: "SQLite does not take it into memory")
    }
    return database
  }

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - statement: SQL of this program.
  ///   - extent: what it goes through.
  ///   - number: the value of its only parameter.
  ///   - limit: the most rows that are taken.
  /// - Returns: the rows.
  /// - Throws: `damaged`, also where a table or column is not there; `otherKind`; `busy`; `unusable`,
  ///   also where it takes too long, or the task was cancelled.
  func rows(
    _ statement: String, _ extent: Extent = .few, number: Int64? = nil, limit: Int = 8
  ) throws(ForeignBackupError) -> [[Value]] {
    _ = unsafe sqlite.sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, extent.length)
    patience.end = Self.now() + extent.seconds * 1_000_000_000
    var prepared: OpaquePointer?
    try check(unsafe sqlite.sqlite3_prepare_v2(handle, statement, -1, &prepared, nil))
    defer { _ = unsafe sqlite.sqlite3_finalize(prepared) }
    if let number { try check(unsafe sqlite.sqlite3_bind_int64(prepared, 1, number)) }
    var rows: [[Value]] = []
    while true {
      let code = unsafe sqlite.sqlite3_step(prepared)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else {
        try check(code)
        return rows
      }
      guard rows.count < limit else { return rows }
      let count = unsafe sqlite.sqlite3_column_count(prepared)
      rows.append((0..<count).map { unsafe value(prepared, $0) })
    }
  }

  /// All bytes of the database, as they would lie in a file.
  ///
  /// - Throws: `unusable`.
  func serialize() throws(ForeignBackupError) -> SecretBytes {
    var size: Int64 = 0
    guard let bytes = unsafe sqlite.sqlite3_serialize(handle, "main", &size, 0), size > 0 else {
      throw .unusable(part: "the database", reason: "SQLite makes no copy of it")
    }
    defer { unsafe sqlite.sqlite3_free(bytes) }
    return unsafe SecretBytes(copying: RawSpan(_unsafeStart: bytes, byteCount: Int(size)))
  }

  private func check(_ code: Int32) throws(ForeignBackupError) {
    switch code & 0xFF {
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return
    case SQLITE_BUSY, SQLITE_LOCKED:
      throw .busy(part: "the database")
    case SQLITE_NOTADB: throw .otherKind("SQLite database")
    case SQLITE_INTERRUPT:
      throw .unusable(part: "the database", reason: "it takes too long to read")
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_FULL:
      throw .unusable(part: "the database", reason: "it cannot be read or written")
    default: throw .damaged(part: "the database")
    }
  }

  private func value(_ row: OpaquePointer?, _ column: Int32) -> Value {
    switch unsafe sqlite.sqlite3_column_type(row, column) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(unsafe sqlite.sqlite3_column_int64(row, column))
    case SQLITE_BLOB:
      let start = unsafe sqlite.sqlite3_column_blob(row, column)
      return unsafe bytes(row, column, at: start)
    case SQLITE_TEXT:
      // As UTF-8, whatever the database's encoding is.
      let start = unsafe UnsafeRawPointer(sqlite.sqlite3_column_text(row, column))
      return unsafe bytes(row, column, at: start)
    default: return .other
    }
  }

  private func bytes(
    _ row: OpaquePointer?, _ column: Int32, at start: UnsafeRawPointer?
  ) -> Value {
    let count = Int(unsafe sqlite.sqlite3_column_bytes(row, column))
    guard count <= Self.valueLimit else { return .other }
    return .bytes(unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
  }
}

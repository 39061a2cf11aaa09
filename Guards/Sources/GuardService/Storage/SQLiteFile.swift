internal import CLinux
internal import CoreFoundation
internal import FoundationEssentials
internal import GRDB
internal import Glibc

/// An SQLite file: write-ahead log, and a commit is on the disk before it returns.
struct SQLiteFile: GuardDatabase {
  private let queue: DatabaseQueue
  private let path: String
  /// The file that is open.
  private let device: dev_t
  private let inode: ino_t

  /// Opens or makes a file that only its user can read.
  init(path: String) throws(GuardStoreError) {
    // SQLite gives its side files the mode of the database.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .file(errno, path) }
    var status = stat()
    let isKnown = unsafe fstat(file, &status) == 0
    _ = Glibc.close(file)
    guard isKnown else { throw .file(errno, path) }
    self.path = path
    (device, inode) = (status.st_dev, status.st_ino)
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(10)
    configuration.foreignKeysEnabled = false
    configuration.label = "keybackup-guard"
    queue = try Self.translating { try DatabaseQueue(path: path, configuration: configuration) }
    // GRDB sets NORMAL with the log: a commit could then be lost with the power.
    let isFull = try Self.translating {
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA secure_delete = ON")
        return try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2
          && String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
      }
    }
    guard isFull else { throw .notDurable("synchronous") }
  }

  /// A file that was removed or replaced takes changes, and is gone after a restart.
  var isInPlace: Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_dev == device && status.st_ino == inode
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    try await transaction(.deferred, body)
  }

  func write<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    guard isInPlace else { throw .unavailable("its file was removed or replaced") }
    return try await transaction(.immediate, body)
  }

  /// Runs it to its end even if the task is cancelled, so that nobody waits for nothing.
  private func transaction<R: Sendable>(
    _ kind: Database.TransactionKind,
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    let result = await withCheckedContinuation { continuation in
      queue.asyncWriteWithoutTransaction { database in
        continuation.resume(returning: Self.run(kind, body, on: database))
      }
    }
    return try result.get()
  }

  private static func run<R>(
    _ kind: Database.TransactionKind, _ body: (any SQLSession) throws(GuardStoreError) -> R,
    on database: Database
  ) -> Result<R, GuardStoreError> {
    var answer: R?
    do throws(GuardStoreError) {
      try translating {
        try database.inTransaction(kind) {
          answer = try body(SQLiteSession(database: database))
          return .commit
        }
      }
    } catch {
      return .failure(error)
    }
    guard let answer else { return .failure(.unavailable("SQLite")) }
    return .success(answer)
  }

  func close() async { try? queue.close() }

  fileprivate static func translating<R>(_ body: () throws -> R) throws(GuardStoreError) -> R {
    do {
      return try body()
    } catch let error as GuardStoreError {
      throw error
    } catch let error as DatabaseError {
      throw .unavailable("SQLite \(error.extendedResultCode.rawValue)")
    } catch {
      throw .unavailable("SQLite")
    }
  }
}

/// The connection inside of a transaction.
private struct SQLiteSession: SQLSession {
  let database: Database

  func run(_ sql: String, _ values: [SQLValue]) throws(GuardStoreError) -> [SQLRow] {
    try SQLiteFile.translating {
      let statement = try database.cachedStatement(
        sql: String(sql.map { $0 == "$" ? "?" : $0 }))
      let rows = try Row.fetchCursor(
        statement, arguments: StatementArguments(values.map(\.databaseValue)))
      var answer: [SQLRow] = []
      while let row = try rows.next() {
        answer.append(try SQLRow(row.databaseValues.map(Self.value)))
      }
      return answer
    }
  }

  func hasTables() throws(GuardStoreError) -> Bool {
    try !run("SELECT name FROM sqlite_schema WHERE name = $1", [.text("guard")]).isEmpty
  }

  /// A writing transaction is alone anyway.
  func lock(exclusively: Bool) {}

  func time() -> UInt64? { nil }

  private static func value(_ value: DatabaseValue) throws(GuardStoreError) -> SQLValue {
    switch value.storage {
    case .null: return .null
    case .int64(let number): return .number(number)
    case .string(let text): return .text(text)
    case .blob(let data): return .bytes(Array(data))
    case .double: throw .damaged("number")
    }
  }
}

extension SQLValue {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .number(let number): number.databaseValue
    case .bytes(let bytes): Data(bytes).databaseValue
    case .text(let text): text.databaseValue
    }
  }
}

/// A value of a column.
enum SQLValue: Equatable, Sendable {
  /// NULL.
  case null
  /// A number.
  case number(Int64)
  /// Bytes.
  case bytes([UInt8])
  /// A text.
  case text(String)

  /// A number that no column would hold becomes the largest that one does.
  init(_ number: UInt64) { self = .number(Int64(clamping: number)) }

  /// Bytes, or NULL.
  init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }
}

/// A row that a statement gave, read column by column in its order.
struct SQLRow: Sendable {
  private let values: [SQLValue]
  private var place = 0

  init(_ values: [SQLValue]) { self.values = values }

  /// The columns that were not read yet.
  var rest: Int { values.count - place }

  mutating func next() throws(GuardStoreError) -> SQLValue {
    guard place < values.count else { throw .damaged("columns") }
    place += 1
    return values[place - 1]
  }

  /// A number; nil for NULL.
  mutating func optionalNumber() throws(GuardStoreError) -> UInt64? {
    switch try next() {
    case .null: return nil
    case .number(let number):
      guard let number = UInt64(exactly: number) else { throw .damaged("number") }
      return number
    default: throw .damaged("number")
    }
  }

  mutating func number() throws(GuardStoreError) -> UInt64 {
    guard let number = try optionalNumber() else { throw .damaged("number") }
    return number
  }

  /// Bytes; nil for NULL.
  mutating func optionalBytes() throws(GuardStoreError) -> [UInt8]? {
    switch try next() {
    case .null: return nil
    case .bytes(let bytes): return bytes
    default: throw .damaged("bytes")
    }
  }

  mutating func bytes() throws(GuardStoreError) -> [UInt8] {
    guard let bytes = try optionalBytes() else { throw .damaged("bytes") }
    return bytes
  }

  /// A text; nil for NULL.
  mutating func optionalText() throws(GuardStoreError) -> String? {
    switch try next() {
    case .null: return nil
    case .text(let text): return text
    default: throw .damaged("text")
    }
  }
}

/// A connection inside of a transaction.
///
/// It stays on its thread.
protocol SQLSession {
  /// Whether the tables are there.
  func hasTables() throws(GuardStoreError) -> Bool

  /// Runs a statement with the values of `$1`, `$2` and so on.
  func run(_ sql: String, _ values: [SQLValue]) throws(GuardStoreError) -> [SQLRow]

  /// Waits until no other transaction holds the lock of the whole guard: exclusively, or together
  /// with others that share it. The end of the transaction releases it.
  func lock(exclusively: Bool) throws(GuardStoreError)

  /// The database's clock in Unix seconds; nil if the process's own one is as good.
  func time() throws(GuardStoreError) -> UInt64?
}

/// A database: it runs closures in transactions, on threads of its own.
protocol GuardDatabase: Sendable {
  /// Whether the database is still where another process would open it.
  var isInPlace: Bool { get }

  /// Runs a transaction that only reads.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R

  /// Runs a transaction and commits it durably; an error rolls it back.
  ///
  /// The body may run again if the connection broke before the commit.
  func write<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R

  /// Ends all connections.
  func close() async
}

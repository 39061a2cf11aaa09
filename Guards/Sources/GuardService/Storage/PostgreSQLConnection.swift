internal import CPostgreSQL
internal import Glibc

/// A connection to PostgreSQL, made when it is needed and made again after it broke.
///
/// It is used by one thread.
@safe
final class PostgreSQLConnection: SQLSession {
  /// The guard's advisory lock: "keybguar".
  private static let lock: Int64 = 0x6B65_7962_6775_6172

  private let url: String
  private let usesServersClock: Bool
  private var handle: OpaquePointer?

  init(url: String, usesServersClock: Bool) {
    self.url = url
    self.usesServersClock = usesServersClock
  }

  deinit { disconnect() }

  /// Runs a transaction; once more on a new connection if the old one broke before the commit.
  func transaction<R>(
    isReading: Bool, _ body: (any SQLSession) throws(GuardStoreError) -> R
  ) -> Result<R, GuardStoreError> {
    var canRepeat = unsafe handle != nil
    while true {
      do throws(GuardStoreError) {
        try connect()
        // Named, because a server may have another default, with which transactions fail.
        try command("BEGIN ISOLATION LEVEL READ COMMITTED" + (isReading ? ", READ ONLY" : ""))
        let result = try body(self)
        try commit(isReading: isReading)
        return .success(result)
      } catch {
        if error == .unknownOutcome || !isBroken {
          // The server does the same when the connection ends.
          if error == .unknownOutcome { disconnect() } else { try? command("ROLLBACK") }
          return .failure(error)
        }
        disconnect()
        guard canRepeat else { return .failure(error) }
        canRepeat = false
      }
    }
  }

  func hasTables() throws(GuardStoreError) -> Bool {
    try !run(
      """
      SELECT 1::bigint FROM pg_catalog.pg_tables
      WHERE schemaname = current_schema() AND tablename = $1
      """, [.text("guard")]
    ).isEmpty
  }

  func lock(exclusively: Bool) throws(GuardStoreError) {
    // Work on all accounts takes its time.
    if exclusively { try command("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0") }
    let function = exclusively ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
    _ = try run("SELECT \(function)($1)", [.number(Self.lock)])
  }

  func time() throws(GuardStoreError) -> UInt64? {
    guard usesServersClock else { return nil }
    let rows = try run("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint", [])
    guard var row = rows.first else { throw .damaged("clock") }
    return try row.number()
  }

  func run(_ sql: String, _ values: [SQLValue]) throws(GuardStoreError) -> [SQLRow] {
    let result = unsafe PostgreSQLParameters(values).run(sql, on: handle)
    defer { unsafe PQclear(result) }
    let status = unsafe PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      throw unsafe failure(result)
    }
    return try unsafe PostgreSQLRows.read(result)
  }

  /// Whether the connection cannot be used any more.
  private var isBroken: Bool {
    guard let handle = unsafe handle else { return true }
    return unsafe PQstatus(handle) != CONNECTION_OK
  }

  private func connect() throws(GuardStoreError) {
    if !isBroken { return }
    disconnect()
    try requireReadableURL()
    // The URL comes last: what it says counts.
    let options = [
      ("connect_timeout", "5"), ("keepalives_idle", "10"), ("tcp_user_timeout", "10000"),
      ("application_name", "keybackup-guard"), ("dbname", url), ("client_encoding", "UTF8"),
    ]
    var names = unsafe options.map { unsafe UnsafePointer(strdup($0.0)) } + [nil]
    var values = unsafe options.map { unsafe UnsafePointer(strdup($0.1)) } + [nil]
    defer {
      let texts = unsafe names + values
      for place in unsafe texts.indices {
        unsafe free(UnsafeMutablePointer(mutating: texts[place]))
      }
    }
    unsafe handle = unsafe PQconnectdbParams(&names, &values, 1)
    guard !isBroken else {
      let reason = unsafe String(cString: PQerrorMessage(handle)).prefix { $0 != "\n" }
      disconnect()
      throw .unavailable("PostgreSQL: \(reason)")
    }
    _ = unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
    do throws(GuardStoreError) { try requireDurability() } catch {
      disconnect()
      throw error
    }
  }

  /// Refuses a URL that libpq cannot read, or reads otherwise than it was meant: its own message
  /// would repeat the URL, and the password in it.
  private func requireReadableURL() throws(GuardStoreError) {
    let options = unsafe PQconninfoParse(url, nil)
    defer { unsafe PQconninfoFree(options) }
    guard var option = unsafe options else { throw .invalidURL }
    while let word = unsafe option.pointee.keyword {
      let name = unsafe String(cString: word)
      let value = unsafe option.pointee.val.map { unsafe String(cString: $0) } ?? ""
      // A password with @ or / ends up in the host or the port. A first @ is an abstract socket.
      if name == "host", value.dropFirst().contains("@") { throw .invalidURL }
      if name == "port", !value.allSatisfy({ ("0"..."9").contains($0) || $0 == "," }) {
        throw .invalidURL
      }
      unsafe option += 1
    }
  }

  /// Refuses a server that forgets what it committed, and keeps the session as it was found.
  private func requireDurability() throws(GuardStoreError) {
    for setting in ["fsync", "full_page_writes", "synchronous_commit"] {
      let rows = try run("SELECT current_setting($1)", [.text(setting)])
      guard var row = rows.first, let value = try row.optionalText(), value != "off" else {
        throw .notDurable(setting)
      }
      if setting == "synchronous_commit" {
        _ = try run("SELECT set_config($1, $2, false)", [.text(setting), .text(value)])
      }
    }
    try command(
      """
      SET statement_timeout = '30s'; SET lock_timeout = '10s';
      SET idle_in_transaction_session_timeout = '60s'
      """)
  }

  private func commit(isReading: Bool) throws(GuardStoreError) {
    let result = unsafe PQexec(handle, "COMMIT")
    defer { unsafe PQclear(result) }
    guard unsafe PQresultStatus(result) == PGRES_COMMAND_OK else {
      // Nothing was changed that could hold or not.
      throw isReading ? unsafe failure(result) : .unknownOutcome
    }
    // An aborted transaction answers ROLLBACK.
    guard unsafe String(cString: PQcmdStatus(result)) == "COMMIT" else {
      throw .unavailable("PostgreSQL: rolled back")
    }
  }

  private func command(_ sql: String) throws(GuardStoreError) {
    let result = unsafe PQexec(handle, sql)
    defer { unsafe PQclear(result) }
    guard unsafe PQresultStatus(result) == PGRES_COMMAND_OK else { throw unsafe failure(result) }
  }

  /// The error's code; its text may have values.
  private func failure(_ result: OpaquePointer?) -> GuardStoreError {
    let field = CInt(UInt8(ascii: "C"))
    guard let code = unsafe PQresultErrorField(result, field) else {
      return .unavailable("PostgreSQL: the connection broke")
    }
    return unsafe .unavailable("PostgreSQL \(String(cString: code))")
  }

  private func disconnect() {
    unsafe PQfinish(handle)
    unsafe handle = nil
  }
}

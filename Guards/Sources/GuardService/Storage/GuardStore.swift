internal import CSPP
internal import GuardProtocol

/// A guard's database: every statement, for each kind of database the same.
///
/// A change of an account holds only if nobody changed the account, or the state of the guard,
/// since they were read. It is durable when the call returns.
public struct GuardStore: Sendable {
  let database: WatchedDatabase

  init(_ database: any GuardDatabase) { self.database = WatchedDatabase(database) }

  /// An account and the state of the guard, read at one moment.
  struct Found: Sendable {
    let row: GuardRow
    let account: StoredAccount?
    /// The database's clock; nil if the process's own one is as good.
    let time: UInt64?
  }

  /// The outcomes of a change.
  enum Outcome: Equatable, Sendable {
    case done
    /// Somebody else changed the account or the guard: it must be read again.
    case stale
    /// The invite is not known, or was spent.
    case noInvite
  }

  /// Makes the tables where there are none.
  func prepare() async throws(GuardStoreError) {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: true)
      if try session.hasTables() {
        _ = try session.row()
      } else {
        for statement in GuardSchema.statements { _ = try session.run(statement, []) }
      }
    }
  }

  /// Reads an account and the state of the guard at one moment.
  func find(_ id: GuardAccountID) async throws(GuardStoreError) -> Found {
    try await database.read { session throws(GuardStoreError) in
      let columns = GuardSchema.columns.map { "accounts.\($0)" }.joined(separator: ", ")
      let rows = try session.run(
        """
        SELECT guard.version, identity, epoch, accepted, halted, stopped, clock, \(columns)
        FROM guard LEFT JOIN accounts ON accounts.id = $1
        """, [.bytes(id.bytes)])
      guard rows.count == 1 else { throw .damaged("guard") }
      var row = rows[0]
      let state = try GuardRow(&row)
      var start = row
      let account = try start.next() == .null ? nil : StoredAccount(&row)
      return Found(row: state, account: account, time: try session.time())
    }
  }

  /// Replaces an account.
  ///
  /// - Parameters:
  ///   - old: the state that was read.
  ///   - account: the new state.
  ///   - event: the change.
  ///   - row: the state of the guard that was read with it.
  ///   - now: in Unix seconds.
  /// - Returns: ``Outcome/done`` or ``Outcome/stale``.
  /// - Throws: ``GuardStoreError``.
  func replace(
    _ old: StoredAccount, by account: StoredAccount, _ event: AccountEvent, in row: GuardRow,
    at now: UInt64
  ) async throws(GuardStoreError) -> Outcome {
    let version = old.version + 1
    var changed = account
    changed.version = version
    let values = changed.values
    return try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: false)
      let places = GuardSchema.columns.indices.dropFirst().map {
        "\(GuardSchema.columns[$0]) = $\($0 + 1)"
      }
      let count = GuardSchema.columns.count
      let rows = try session.run(
        """
        UPDATE accounts SET \(places.joined(separator: ", "))
        WHERE id = $1 AND version = $\(count + 1)
        AND EXISTS (SELECT 1 FROM guard WHERE epoch = $\(count + 2) AND stopped = 0)
        RETURNING version
        """, values + [SQLValue(old.version), SQLValue(row.epoch)])
      guard rows.count == 1 else { return .stale }
      try session.record(event, of: values[0], version: version, at: now)
      return .done
    }
  }

  /// Adds an account, and spends an invite for it.
  ///
  /// - Parameters:
  ///   - account: the account, which must not exist.
  ///   - invite: the hash of the invite, 32 bytes; nil if none is needed.
  ///   - row: the state of the guard that was read.
  ///   - now: in Unix seconds.
  /// - Returns: the outcome.
  /// - Throws: ``GuardStoreError``.
  func add(
    _ account: StoredAccount, invite: [UInt8]?, in row: GuardRow, at now: UInt64
  ) async throws(GuardStoreError) -> Outcome {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: false)
      let state = try session.row()
      guard state.epoch == row.epoch, !state.isStopped else { return .stale }
      guard try !session.has(account.id) else { return .stale }
      if let invite {
        let spent = try session.run(
          "DELETE FROM invites WHERE hash = $1 RETURNING made", [.bytes(invite)])
        // The same request may have come twice, and this one waited until the other had spent it.
        guard spent.count == 1 else { return try session.has(account.id) ? .stale : .noInvite }
      }
      try session.insert(account)
      try session.record(.created, of: .bytes(account.id.bytes), version: 0, at: now)
      return .done
    }
  }

  /// The last changes of an account, the earliest first; at most ``AccountEvent/kept``.
  ///
  /// - Throws: ``GuardStoreError``.
  func events(
    of id: GuardAccountID
  ) async throws(GuardStoreError) -> [AccountEvent.Entry] {
    try await database.read { session throws(GuardStoreError) in
      let rows = try session.run(
        "SELECT what, at FROM events WHERE account = $1 ORDER BY version", [.bytes(id.bytes)])
      var entries: [AccountEvent.Entry] = []
      for var row in rows {
        guard case .number(let what) = try row.next(), let event = AccountEvent(rawValue: what)
        else { throw .damaged("event") }
        entries.append(AccountEvent.Entry(event: event, time: try row.number()))
      }
      return entries
    }
  }

  /// Ends all connections.
  public func close() async { await database.close() }
}

extension SQLSession {
  /// The state of the guard.
  func row() throws(GuardStoreError) -> GuardRow {
    let rows = try run("SELECT \(GuardRow.columns) FROM guard", [])
    guard rows.count == 1 else { throw .damaged("guard") }
    var row = rows[0]
    return try GuardRow(&row)
  }

  /// Whether an account has a row.
  func has(_ id: GuardAccountID) throws(GuardStoreError) -> Bool {
    try !run("SELECT version FROM accounts WHERE id = $1", [.bytes(id.bytes)]).isEmpty
  }

  func insert(_ account: StoredAccount) throws(GuardStoreError) {
    let places = GuardSchema.columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    _ = try run(
      """
      INSERT INTO accounts (\(GuardSchema.columns.joined(separator: ", "))) VALUES (\(places))
      """, account.values)
  }

  /// Keeps an event in the place of the one that is 32 changes older.
  func record(
    _ event: AccountEvent, of account: SQLValue, version: UInt64, at now: UInt64
  ) throws(GuardStoreError) {
    _ = try run(
      """
      INSERT INTO events (account, slot, version, at, what) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (account, slot) DO UPDATE
      SET version = excluded.version, at = excluded.at, what = excluded.what
      """,
      [
        account, SQLValue(version % AccountEvent.kept), SQLValue(version), SQLValue(now),
        .number(event.rawValue),
      ])
  }
}

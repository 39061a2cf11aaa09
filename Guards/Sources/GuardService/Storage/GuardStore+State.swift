/// The state of the whole guard: its key, its clock, its end.
extension GuardStore {
  /// The state of the guard.
  func row() async throws(GuardStoreError) -> (row: GuardRow, time: UInt64?) {
    try await database.read { session throws(GuardStoreError) in
      (try session.row(), try session.time())
    }
  }

  /// Whether a server key was used with this database.
  ///
  /// - Throws: ``GuardStoreError``.
  public func hasIdentity() async throws(GuardStoreError) -> Bool {
    try await row().row.identity != nil
  }

  /// Binds a new database to a server key, or compares it.
  ///
  /// - Parameter identity: the guard's public key, 32 bytes.
  /// - Throws: ``GuardStoreError/otherKey``.
  func bind(_ identity: [UInt8]) async throws(GuardStoreError) {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: true)
      if let known = try session.row().identity {
        guard known == identity else { throw .otherKey }
        return
      }
      // Accounts without a key: somebody took it away.
      guard try session.run("SELECT version FROM accounts LIMIT 1", []).isEmpty else {
        throw .otherKey
      }
      _ = try session.run("UPDATE guard SET identity = $1", [.bytes(identity)])
    }
  }

  /// Halts all processes of the guard until a person accepts the clock.
  ///
  /// - Parameter row: the state in which the jump was noticed; a later acceptance stands.
  /// - Throws: ``GuardStoreError``.
  func halt(since row: GuardRow) async throws(GuardStoreError) {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: true)
      _ = try session.run(
        "UPDATE guard SET halted = 1, epoch = epoch + 1 WHERE halted = 0 AND epoch = $1",
        [SQLValue(row.epoch)])
    }
  }

  /// Remembers a time, and ends the enrolments that were not confirmed until then.
  ///
  /// - Parameters:
  ///   - now: in Unix seconds.
  ///   - limit: an enrolment that began until then, in Unix seconds, is over.
  /// - Throws: ``GuardStoreError``.
  func remember(_ now: UInt64, endingEnrolmentsBefore limit: UInt64) async throws(GuardStoreError) {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: false)
      let state = try session.row()
      guard !state.isHalted, !state.isStopped else { return }
      _ = try session.run("UPDATE guard SET clock = $1 WHERE clock < $1", [SQLValue(now)])
      let ended = try session.run(
        """
        UPDATE accounts SET phase = 2, since = 0, share = NULL, subject = NULL, key_id = NULL,
        client_id = NULL, last_counter = NULL, last_element = NULL, last_evaluated = NULL,
        last_proof = NULL, version = version + 1
        WHERE phase = 0 AND since <= $1 RETURNING id, version
        """, [SQLValue(limit)])
      for var row in ended {
        let id = try row.next()
        try session.record(.expired, of: id, version: try row.number(), at: now)
      }
    }
  }

  /// Accepts a time: no timer lies later, and no release is pending.
  ///
  /// - Parameter now: gives the time in Unix seconds from the database's clock, if it has one.
  /// - Returns: the accepted time in Unix seconds.
  /// - Throws: ``GuardStoreError``.
  func accept(_ now: @escaping @Sendable (UInt64?) -> UInt64) async throws(GuardStoreError)
    -> UInt64
  {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: true)
      guard try !session.row().isStopped else { throw .stopped }
      let now = now(try session.time())
      let time = [SQLValue(now)]
      _ = try session.run(
        "UPDATE accounts SET timer = $1, version = version + 1 WHERE timer > $1", time)
      _ = try session.run(
        "UPDATE accounts SET since = $1, version = version + 1 WHERE phase = 0 AND since > $1",
        time)
      _ = try session.run(
        "UPDATE accounts SET pending = $1, version = version + 1 WHERE length(pending) > 0",
        [.bytes([])])
      _ = try session.run(
        """
        UPDATE guard SET halted = 0, clock = $1, accepted = accepted + 1, epoch = epoch + 1
        """, time)
      return now
    }
  }

  /// Numbers of rows.
  struct Counts: Equatable, Sendable {
    /// Accounts in use.
    let confirmed: UInt64
    /// Enrolments that are not confirmed.
    let unconfirmed: UInt64
    /// Accounts that ended.
    let ended: UInt64
    /// Imported accounts that their owners did not reset since.
    let imported: UInt64
    /// Invites that were not spent.
    let invites: UInt64
  }

  /// Counts the rows; this reads all of them.
  ///
  /// - Throws: ``GuardStoreError``.
  func counts() async throws(GuardStoreError) -> Counts {
    try await database.read { session throws(GuardStoreError) in
      func count(_ from: String) throws(GuardStoreError) -> UInt64 {
        let rows = try session.run("SELECT count(*) FROM \(from)", [])
        guard var row = rows.first else { throw .damaged("count") }
        return try row.number()
      }
      return Counts(
        confirmed: try count("accounts WHERE phase = 1"),
        unconfirmed: try count("accounts WHERE phase = 0"),
        ended: try count("accounts WHERE phase = 2"),
        imported: try count("accounts WHERE imported = 1"), invites: try count("invites"))
    }
  }

  /// Whether an imported account was not reset since.
  func hasImported() async throws(GuardStoreError) -> Bool {
    try await database.read { session throws(GuardStoreError) in
      try !session.run("SELECT imported FROM accounts WHERE imported = 1 LIMIT 1", []).isEmpty
    }
  }

  /// Keeps the hash of an invite.
  ///
  /// - Parameters:
  ///   - hash: 32 bytes.
  ///   - now: in Unix seconds.
  /// - Throws: ``GuardStoreError``.
  func addInvite(_ hash: [UInt8], at now: UInt64) async throws(GuardStoreError) {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: false)
      guard try !session.row().isStopped else { throw .stopped }
      _ = try session.run(
        "INSERT INTO invites (hash, made) VALUES ($1, $2)", [.bytes(hash), SQLValue(now)])
    }
  }

  /// Removes invites; one that is not there is none.
  ///
  /// - Parameter hashes: 32 bytes each.
  /// - Throws: ``GuardStoreError``.
  func removeInvites(_ hashes: [[UInt8]]) async throws(GuardStoreError) {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: false)
      for hash in hashes {
        _ = try session.run("DELETE FROM invites WHERE hash = $1", [.bytes(hash)])
      }
    }
  }
}

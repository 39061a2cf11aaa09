internal import CSPP
internal import GuardProtocol
internal import SecretMemory

/// Moving house: the old place is stopped for good before its accounts leave it.
extension GuardStore {
  /// Makes the file, stops the guard durably, then writes all accounts.
  ///
  /// Invites stay behind. An interrupted export can be repeated.
  ///
  /// - Parameter path: the new file. Its shares are sealed under the server key.
  /// - Returns: the number of accounts.
  /// - Throws: ``GuardStoreError``; ``GuardStoreError/exportFailed(_:)`` once the guard has stopped.
  public func export(to path: String) async throws(GuardStoreError) -> Int {
    let target = try ExportTarget(path)
    do throws(GuardStoreError) {
      try await stop()
    } catch {
      target.remove()
      throw error
    }
    do throws(GuardStoreError) {
      return try await write(to: target)
    } catch {
      throw .exportFailed(error)
    }
  }

  private func stop() async throws(GuardStoreError) {
    try await database.write { session throws(GuardStoreError) in
      // Waits for every change that began before.
      try session.lock(exclusively: true)
      guard try session.row().identity != nil else { throw .otherKey }
      _ = try session.run("UPDATE guard SET stopped = 1, epoch = epoch + 1 WHERE stopped = 0", [])
    }
  }

  private func write(to target: ExportTarget) async throws(GuardStoreError) -> Int {
    try await database.read { session throws(GuardStoreError) in
      var file = try ExportWriter(target, identity: session.row().identity ?? [])
      var last: [UInt8] = []
      while true {
        let rows = try session.run(
          """
          SELECT \(GuardSchema.columns.joined(separator: ", ")) FROM accounts
          WHERE id > $1 ORDER BY id LIMIT 500
          """, [.bytes(last)])
        for var row in rows {
          // Read and written again, so that no damaged row leaves.
          let account = try StoredAccount(&row)
          try file.write(account.values)
          last = account.id.bytes
        }
        if rows.isEmpty { return try file.finish() }
      }
    }
  }

  /// Takes an exported file into an empty database, all of it or nothing.
  ///
  /// Each account starts with few tries, its timer at now and a higher counter.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - identity: the guard's public key, which the file must name.
  ///   - now: gives the time in Unix seconds from the database's clock, if it has one.
  /// - Returns: the number of accounts.
  /// - Throws: ``GuardStoreError``.
  func importAccounts(
    from path: String, identity: [UInt8], at now: @escaping @Sendable (UInt64?) -> UInt64
  ) async throws(GuardStoreError) -> Int {
    try await database.write { session throws(GuardStoreError) in
      try session.lock(exclusively: true)
      let state = try session.row()
      guard !state.isStopped else { throw .stopped }
      guard state.identity == identity else { throw .otherKey }
      guard try session.run("SELECT version FROM accounts LIMIT 1", []).isEmpty else {
        throw .notEmpty
      }
      let now = now(try session.time())
      return try Self.read(path, identity: identity) { account throws(GuardStoreError) in
        var account = account
        account.imported(at: now)
        account.version += 1
        try session.insert(account)
        try session.record(
          .imported, of: .bytes(account.id.bytes), version: account.version, at: now)
      }
    }
  }

  /// Reads a file to its end, or refuses it.
  private static func read(
    _ path: String, identity: [UInt8], _ body: (StoredAccount) throws(GuardStoreError) -> Void
  ) throws(GuardStoreError) -> Int {
    do throws(GuardStoreError) {
      return try readLines(path, identity: identity, body)
    } catch {
      // Whatever part it is: the database is not.
      if case .damaged = error { throw .damaged("export") }
      throw error
    }
  }

  private static func readLines(
    _ path: String, identity: [UInt8], _ body: (StoredAccount) throws(GuardStoreError) -> Void
  ) throws(GuardStoreError) -> Int {
    let reader = try ExportReader(path)
    var hash = SHA256()
    guard let first = try reader.line() else { throw .damaged("export") }
    var head = try ExportedText.row(Array(first.dropLast()))
    guard try head.optionalText() == ExportWriter.format else { throw .otherVersion }
    guard try head.bytes() == identity else { throw .otherKey }
    unsafe hash.update(first.span.bytes)
    var count: UInt64 = 0
    while let line = try reader.line() {
      var row = try ExportedText.row(Array(line.dropLast()))
      guard row.rest == GuardSchema.columns.count else {
        guard row.rest == 2, try row.number() == count, try row.bytes() == hash.finalize(),
          try reader.line() == nil
        else { throw .damaged("export") }
        return Int(count)
      }
      unsafe hash.update(line.span.bytes)
      try body(StoredAccount(&row))
      count += 1
    }
    throw .damaged("export")
  }
}

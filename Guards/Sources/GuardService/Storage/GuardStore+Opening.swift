/// Opening a database.
extension GuardStore {
  /// Opens or makes an SQLite file.
  ///
  /// - Parameter path: the file; SQLite makes two others beside it.
  /// - Returns: the store.
  /// - Throws: ``GuardStoreError``.
  public static func sqlite(_ path: String) async throws(GuardStoreError) -> GuardStore {
    let store = GuardStore(try SQLiteFile(path: path))
    try await store.prepare()
    return store
  }

  /// Connects to PostgreSQL.
  ///
  /// - Parameters:
  ///   - url: the server's URL, or libpq's words.
  ///   - usesServersClock: whether the server's clock counts and not this computer's: so it must be
  ///     where several processes serve one guard.
  /// - Returns: the store.
  /// - Throws: ``GuardStoreError``, ``GuardStoreError/notDurable(_:)`` for a server that forgets.
  public static func postgreSQL(
    _ url: String, usesServersClock: Bool = true
  ) async throws(GuardStoreError) -> GuardStore {
    let store = GuardStore(
      try PostgreSQLServer(url: url, usesServersClock: usesServersClock))
    try await store.prepare()
    return store
  }
}

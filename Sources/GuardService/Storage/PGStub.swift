extension GuardStore {
  /// Opens a PostgreSQL database.
  ///
  /// - Throws: ``GuardStoreError``.
  public static func postgreSQL(_ url: String) async throws(GuardStoreError) -> GuardStore {
    throw .unavailable("PostgreSQL is not in this program yet")
  }
}

/// Opening a database.
extension GuardStore {
  /// Opens or makes an SQLite file.
  ///
  /// - Parameter path: the file; SQLite makes two others beside it.
  /// - Throws: ``GuardStoreError``.
  public static func sqlite(_ path: String) async throws(GuardStoreError) -> GuardStore {
    let store = GuardStore(try SQLiteDatabase(path: path))
    try await store.prepare()
    return store
  }
}

internal import FoundationEssentials
internal import Glibc
internal import GuardService

/// A guard, opened as the options say.
struct OpenedGuard {
  /// The guard.
  let accounts: GuardAccountService
  /// The file of its server key, if it was made just now.
  let newServerKey: String?
  /// Whether its server key was there, and its database was not.
  let hasLostDatabase: Bool
  private let store: GuardStore

  /// Opens its database and its server key.
  ///
  /// - Parameters:
  ///   - options: where they are.
  ///   - folder: the state folder.
  ///   - isFirst: whether this may be the guard's first start, which makes both.
  ///   - verifier: the check of ID tokens; nil: no logins.
  ///   - choices: the operator's choices.
  /// - Returns: the guard.
  /// - Throws: ``GuardToolError``.
  static func open(
    _ options: StateOptions, folder: String, isFirst: Bool = false,
    verifier: IDTokenVerifier? = nil,
    _ choices: GuardAccountService.Options = GuardAccountService.Options()
  ) async throws(GuardToolError) -> OpenedGuard {
    let store = try await database(options, folder: folder)
    do throws(GuardToolError) {
      let path = keyPath(options, folder: folder)
      let isNew = isFirst ? try await needsKey(path, store) : false
      let hasLostDatabase = isFirst && !isNew ? try await isUnused(store) : false
      let key = try serverKey(path, isNew: isNew)
      do throws(GuardStoreError) {
        return OpenedGuard(
          accounts: try await GuardAccountService(
            store: store, key: key, verifier: verifier, options: choices),
          newServerKey: isNew ? path : nil, hasLostDatabase: hasLostDatabase, store: store)
      } catch {
        throw GuardToolError(error)
      }
    } catch {
      await store.close()
      throw error
    }
  }

  /// Closes the database.
  func close() async { await store.close() }

  /// The file of its server key.
  static func keyPath(_ options: StateOptions, folder: String) -> String {
    options.keyFile.map { StateOptions.absolute($0) }
      ?? ServerKey.credentialPath(in: ProcessInfo.processInfo.environment)
      ?? folder + "/server-key"
  }

  /// Whether a key has to be made: a database that has one already must not get another.
  private static func needsKey(
    _ path: String, _ store: GuardStore
  ) async throws(GuardToolError) -> Bool {
    guard unsafe access(path, F_OK) != 0 else { return false }
    return try await isUnused(store)
  }

  /// Whether no server key was ever used with a database.
  private static func isUnused(_ store: GuardStore) async throws(GuardToolError) -> Bool {
    do throws(GuardStoreError) { return try await !store.hasIdentity() } catch {
      throw GuardToolError(error)
    }
  }

  private static func serverKey(
    _ path: String, isNew: Bool
  ) throws(GuardToolError) -> ServerKey {
    do throws(ServerKeyError) {
      return isNew ? try ServerKey.create(path) : try ServerKey.load(path)
    } catch {
      throw GuardToolError(error, path: path)
    }
  }

  /// Opens its database alone.
  ///
  /// - Throws: ``GuardToolError``.
  static func database(
    _ options: StateOptions, folder: String
  ) async throws(GuardToolError) -> GuardStore {
    do throws(GuardStoreError) {
      if let path = sqlitePath(options, folder: folder) { return try await GuardStore.sqlite(path) }
      return try await GuardStore.postgreSQL(options.database ?? "")
    } catch {
      throw GuardToolError(error)
    }
  }

  /// The file of its database; nil for PostgreSQL.
  static func sqlitePath(_ options: StateOptions, folder: String) -> String? {
    let name = options.database ?? folder + "/guard.sqlite"
    if name.hasPrefix("postgresql://") || name.hasPrefix("postgres://") { return nil }
    return StateOptions.absolute(name)
  }
}

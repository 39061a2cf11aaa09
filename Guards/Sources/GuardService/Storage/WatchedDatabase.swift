internal import Synchronization

/// A database that remembers whether its last change could be stored.
///
/// A full disk still lets everything be read.
struct WatchedDatabase: GuardDatabase {
  private let database: any GuardDatabase
  private let watch = Watch()

  private final class Watch: Sendable {
    let hasFailed = Atomic<Bool>(false)
  }

  init(_ database: any GuardDatabase) { self.database = database }

  /// Whether the last change could not be stored.
  var hasFailed: Bool { watch.hasFailed.load(ordering: .relaxed) }

  var isInPlace: Bool { database.isInPlace }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    try await database.read(body)
  }

  func write<R: Sendable>(
    _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
  ) async throws(GuardStoreError) -> R {
    do throws(GuardStoreError) {
      let result = try await database.write(body)
      watch.hasFailed.store(false, ordering: .relaxed)
      return result
    } catch {
      // Other errors are refusals of a change, which the database could have stored.
      switch error {
      case .unavailable, .unknownOutcome: watch.hasFailed.store(true, ordering: .relaxed)
      default: break
      }
      throw error
    }
  }

  func close() async { await database.close() }
}

import Foundation
import GuardTestSupport
import SecretMemory
import Synchronization
import Testing

@testable import GuardService

/// A guard that can read everything and store nothing says so.
@Suite struct WatchedDatabaseTests {
  /// A database on a disk that a test fills.
  private final class FillingDatabase: GuardDatabase {
    private let database: any GuardDatabase
    private let isFull = Atomic<Bool>(false)

    init(_ database: any GuardDatabase) { self.database = database }

    var isInPlace: Bool { true }

    func fill(_ isFull: Bool) { self.isFull.store(isFull, ordering: .relaxed) }

    func read<R: Sendable>(
      _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
    ) async throws(GuardStoreError) -> R {
      try await database.read(body)
    }

    func write<R: Sendable>(
      _ body: @escaping @Sendable (any SQLSession) throws(GuardStoreError) -> R
    ) async throws(GuardStoreError) -> R {
      guard !isFull.load(ordering: .relaxed) else { throw .unavailable("SQLite 13") }
      return try await database.write(body)
    }

    func close() async { await database.close() }
  }

  @Test func `a change that could not be stored is remembered until one can be`() async throws {
    let place = try StoreKind.sqlite.place()
    let database = FillingDatabase(try await place.open().database)
    let accounts = try await GuardAccountService(
      store: GuardStore(database), key: try ServerKey(secret([UInt8](repeating: 7, count: 32))),
      clock: TestTime().clock)
    #expect(await accounts.state().isDatabaseUp)
    database.fill(true)
    await #expect(throws: GuardStoreError.unavailable("SQLite 13")) {
      try await accounts.createInvite()
    }
    #expect(await !accounts.state().isDatabaseUp)
    // Nobody sends a request to a guard that is said to be down: looking is enough.
    database.fill(false)
    #expect(await accounts.state().isDatabaseUp)
    _ = try await accounts.createInvite()
  }

  @Test func `a database whose file is gone takes no change`() async throws {
    let guarded = try await GuardUnderTest(.sqlite)
    let path = guarded.place.url
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    try Data().write(to: URL(filePath: path))
    #expect(await !guarded.accounts.state().isDatabaseUp)
    await #expect(throws: GuardStoreError.unavailable("its file was removed or replaced")) {
      try await guarded.accounts.createInvite()
    }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    #expect(await guarded.accounts.state().isDatabaseUp)
    _ = try await guarded.accounts.createInvite()
  }
}

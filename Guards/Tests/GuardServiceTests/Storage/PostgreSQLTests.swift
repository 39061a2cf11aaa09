import CSPP
import Foundation
import GuardProtocol
import GuardTestSupport
import Testing

@testable import GuardService

/// PostgreSQL's own troubles.
@Suite(.serialized) struct PostgreSQLTests {
  @Test(arguments: ["fsync", "full_page_writes", "synchronous_commit"])
  func `a server that forgets what it committed is refused`(_ setting: String) async throws {
    let server = try RunningPostgreSQL(["\(setting)=off"])
    defer { server.stop() }
    let url = server.url("postgres")
    await #expect(throws: GuardStoreError.notDurable(setting)) {
      try await GuardStore.postgreSQL(url)
    }
  }

  @Test func `a database that commits without waiting is refused`() async throws {
    let server = try RunningPostgreSQL.shared.get()
    let place = try StoreKind.postgreSQL.place()
    let name = try #require(place.url.split(separator: "dbname=").last)
    try server.sql("ALTER DATABASE \"\(name)\" SET synchronous_commit = off")
    await #expect(throws: GuardStoreError.notDurable("synchronous_commit")) {
      _ = try await place.open()
    }
  }

  @Test func `a lost connection is made again, and nobody notices`() async throws {
    let service = try await GuardUnderTest(.postgreSQL)
    let owner = try TestOwner(service)
    var counter = try await owner.enrolled()
    let server = try RunningPostgreSQL.shared.get()
    let name = try #require(service.place.url.split(separator: "dbname=").last)
    for round in 0..<5 {
      try server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
      counter = try await owner.evaluate(counter, try element(round)).read(EvaluateAnswer.self)
        .counter
      service.time.pass(3600)
    }
  }

  @Test func `a connection that breaks at the end of a reading is made again, of a writing not`()
    throws
  {
    let server = try RunningPostgreSQL.shared.get()
    let url = try server.newDatabase()
    let name = try #require(url.split(separator: "dbname=").last)
    let connection = PostgreSQLConnection(url: url, usesServersClock: false)
    for isReading in [true, false] {
      // Only a connection that was there before is made again.
      var runs = 0
      for isKilled in [false, true] {
        runs = 0
        let result = connection.transaction(isReading: isReading) {
          session throws(GuardStoreError) in
          runs += 1
          let rows = try session.run("SELECT 1::bigint", [])
          if isKilled, runs == 1 {
            _ = try? server.sql(
              "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '\(name)'"
            )
          }
          return rows.count
        }
        #expect(result == (isKilled && !isReading ? .failure(.unknownOutcome) : .success(1)))
      }
      #expect(runs == (isReading ? 2 : 1))
    }
  }

  @Test(arguments: [
    "postgresql://anna:passw0rd-of-anna@[::1/guard",
    "postgresql://anna:passw0rd-of-anna@host/guard?no_such_option=1",
    "postgresql://anna:passw0rd-of-anna@host:port/guard",
    "postgresql://anna:5432/passw0rd-of-anna@host/guard%zz",
    "postgresql://anna:passw0rd/of-anna@host/guard",
    "postgresql://anna:passw0rd@of-anna@host/guard",
    "host=/tmp passw0rd-of-anna",
  ]) func `an unreadable URL is refused, and its password not repeated`(_ url: String) async {
    await #expect(throws: GuardStoreError.invalidURL) { try await GuardStore.postgreSQL(url) }
  }

  @Test func `a server that is gone is an answer, and when it is back all goes on`() async throws {
    let server = try RunningPostgreSQL()
    defer { server.stop() }
    let place = StorePlace(kind: .postgreSQL, url: server.url("postgres"), folder: nil)
    let service = try await GuardUnderTest(place, TestTime())
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    let data = server.folder.path + "/data"
    let pid = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
      .split(separator: "\n")[0]
    #expect(await service.accounts.state().isDatabaseUp)
    kill(try #require(pid_t(pid)), SIGQUIT)
    var answer = await owner.evaluate(counter, try element(1))
    for _ in 0..<100 where answer.status == 200 {
      answer = await owner.evaluate(counter, try element(1))
    }
    #expect(answer.status == 500)
    #expect(await !service.accounts.state().isDatabaseUp)
  }

  @Test func `two processes make the tables of a new database at the same time`() async throws {
    let place = try StoreKind.postgreSQL.place()
    let versions = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { try await place.open().hasIdentity() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(versions == [Bool](repeating: false, count: 8))
  }
}

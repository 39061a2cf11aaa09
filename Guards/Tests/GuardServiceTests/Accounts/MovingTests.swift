import CSPP
import Foundation
import GuardProtocol
import GuardTestSupport
import Testing

@testable import GuardService

/// Moving a guard to another computer.
@Suite struct MovingTests {
  private static func newPath() -> String { "/tmp/guard-export-\(UUID().uuidString)" }

  @Test(arguments: StoreKind.allCases, StoreKind.allCases)
  func `an export stops the source, and an import leaves three tries until a reset`(
    _ from: StoreKind, _ to: StoreKind
  ) async throws {
    let source = try await GuardUnderTest(from)
    let owner = try TestOwner(source)
    let counter = try await owner.enrolled()
    let ended = try TestOwner(source)
    _ = try await ended.enrolled()
    #expect(await ended.retire().status == 200)
    let login = try TestOwner(source)
    _ = try await login.createLogin(delay: 0, session: sessionKey(1))
    #expect(await login.confirm(0).status == 200)
    #expect(await login.release(try sessionKey(2)).status == 200)
    let path = Self.newPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try await source.accounts.store.export(to: path) == 3)
    await #expect(throws: GuardStoreError.stopped) { try await source.accounts.createInvite() }
    for isRestarted in [false, true] {
      let service = isRestarted ? try await source.restarted() : source
      let owner = try owner.at(service)
      for answer in [
        await owner.evaluate(counter, try element(1)), await owner.status(),
        await owner.retire(), await (try TestOwner(service)).create(),
      ] { #expect(answer.status == 503 && answer.refusal == .stopped) }
    }
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

    let target = try await GuardUnderTest(to)
    #expect(try await target.accounts.importAccounts(from: path) == 3)
    #expect(await target.accounts.state().isRestored)
    let moved = try owner.at(target)
    let state = try await moved.status().read(AccountAnswer.self)
    #expect(state.counter == counter + 1 << 32)
    // Three tries, and the waits of the schedule's end before them.
    #expect(state.detail == .tries(left: 3, notBefore: target.time.now + 30))
    #expect(await moved.evaluate(counter, try element(1)).refusal == .counter(state.counter))
    #expect(await (try ended.at(target)).status().refusal == .disabled)
    #expect(await (try login.at(target)).collect(try sessionKey(2)).refusal == .unknown)
    #expect(await moved.reset(state.counter).status == 200)
    #expect(await !target.accounts.state().isRestored)
    // Not twice into one database.
    await #expect(throws: GuardStoreError.notEmpty) {
      try await target.accounts.importAccounts(from: path)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a guard goes on if its file cannot be made, and says that it has stopped`(
    _ kind: StoreKind
  ) async throws {
    let guarded = try await GuardUnderTest(kind)
    let store = guarded.accounts.store
    let owner = try TestOwner(guarded)
    _ = try await owner.enrolled()
    let path = Self.newPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    await #expect(throws: GuardStoreError.file(2, path + "/file")) {
      try await store.export(to: path + "/file")
    }
    try Data().write(to: URL(filePath: path))
    await #expect(throws: GuardStoreError.file(17, path)) { try await store.export(to: path) }
    #expect(await owner.status().status == 200)
    try FileManager.default.removeItem(atPath: path)
    // A row that cannot be read is found when it has stopped.
    try await store.database.write { session throws(GuardStoreError) in
      _ = try session.run(
        "UPDATE accounts SET ask_key = $1", [.bytes([UInt8](repeating: 3, count: 32))])
    }
    await #expect(throws: GuardStoreError.exportFailed(.damaged("id"))) {
      try await store.export(to: path)
    }
    await #expect(throws: GuardStoreError.stopped) { try await guarded.accounts.createInvite() }
  }

  @Test(arguments: StoreKind.allCases)
  func `a file that was cut off, changed or made by another guard leaves nothing behind`(
    _ kind: StoreKind
  ) async throws {
    let source = try await GuardUnderTest(.sqlite)
    for _ in 0..<5 { _ = try await TestOwner(source).enrolled() }
    let path = Self.newPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try await source.accounts.store.export(to: path)
    let whole = try Data(contentsOf: URL(filePath: path))
    let lines = whole.split(separator: 10, omittingEmptySubsequences: false)
    let withoutEnd = Data(lines.dropLast(2).joined(separator: [10]))
    let withoutOne = Data(([lines[0]] + lines.dropFirst(2)).joined(separator: [10]))
    let afterFirst: Data = whole.dropFirst(lines[0].count + 1)
    var faults: [Data] = [Data(), whole.dropLast(), whole.prefix(whole.count / 2)]
    faults += [withoutEnd + Data([10]), whole + whole, withoutOne]
    faults.append(Data("tabc\tx00\n".utf8) + afterFirst)
    for _ in 0..<20 {
      var changed = whole
      changed[Int.random(in: 0..<whole.count)] ^= 1
      faults.append(changed)
    }
    let target = try await GuardUnderTest(kind)
    for fault in faults {
      try fault.write(to: URL(filePath: path))
      await #expect(throws: GuardStoreError.self) {
        try await target.accounts.importAccounts(from: path)
      }
      #expect(try await target.accounts.store.counts().confirmed == 0)
    }
    try whole.write(to: URL(filePath: path))
    let other = try await GuardUnderTest(kind.place(), TestTime(), key: 8)
    await #expect(throws: GuardStoreError.otherKey) {
      try await other.accounts.importAccounts(from: path)
    }
    #expect(try await target.accounts.importAccounts(from: path) == 5)
  }
}

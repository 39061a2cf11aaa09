import CSPP
import Foundation
import GuardProtocol
import GuardTestSupport
import SecretMemory
import Testing

@testable import GuardService

/// The server key, and a database without it.
@Suite struct ServerKeyTests {
  private static func key(_ byte: UInt8) throws(ServerKeyError) -> ServerKey {
    try ServerKey(secret([UInt8](repeating: byte, count: 32)))
  }

  @Test(arguments: StoreKind.allCases)
  func `a database opens with its own server key only`(_ kind: StoreKind) async throws {
    let service = try await GuardUnderTest(kind)
    let place = service.place
    let time = service.time
    await #expect(throws: GuardStoreError.otherKey) {
      try await GuardUnderTest(place, time, key: 8)
    }
    _ = try await GuardUnderTest(place, time)
    // Somebody who takes the identity out of the database gets no further with another key.
    let owner = try TestOwner(service)
    _ = try await owner.enrolled()
    try await service.accounts.store.database.write { session throws(GuardStoreError) in
      _ = try session.run("UPDATE guard SET identity = NULL", [])
    }
    await #expect(throws: GuardStoreError.otherKey) {
      try await GuardUnderTest(place, time, key: 8)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a row with another's share, keys or terms opens nothing`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    let other = try TestOwner(service)
    _ = try await other.enrolled()
    let store = service.accounts.store
    let share = try #require(try await store.find(other.account).account?.share)
    let own = try #require(try await store.find(owner.account).account?.share)
    let id = SQLValue.bytes(owner.account.bytes)
    for (column, value, back) in [
      ("share", SQLValue.bytes(share), SQLValue.bytes(own)),
      ("terms", .number(1), .number(0)),
      ("owner_key", .bytes(other.owner.publicKey.bytes), .bytes(owner.owner.publicKey.bytes)),
      ("reset_key", .bytes(other.reset.publicKey.bytes), .bytes(owner.reset.publicKey.bytes)),
    ] {
      try await store.database.write { session throws(GuardStoreError) in
        _ = try session.run("UPDATE accounts SET \(column) = $2 WHERE id = $1", [id, value])
      }
      #expect(await owner.evaluate(counter, try element(1)).status == 500)
      try await store.database.write { session throws(GuardStoreError) in
        _ = try session.run("UPDATE accounts SET \(column) = $2 WHERE id = $1", [id, back])
      }
    }
    #expect(await owner.evaluate(counter, try element(1)).status == 200)
  }

  @Test(arguments: StoreKind.allCases)
  func `the database's files have no share, no OPRF key, no subject and no invite`(
    _ kind: StoreKind
  ) async throws {
    let service = try await GuardUnderTest(kind)
    let invite = try await service.accounts.createInvite()
    let owner = try TestOwner(service)
    let counter = try await owner.enrolled()
    #expect(await owner.evaluate(counter, try element(1)).status == 200)
    let login = try TestOwner(service)
    let subject = "anna-\(UUID().uuidString)"
    _ = try await login.createLogin(delay: 0, subject: subject, session: sessionKey(1))
    #expect(await login.confirm(0).status == 200)
    #expect(await login.release(try sessionKey(2), subject: subject).status == 200)
    #expect(await login.collect(try sessionKey(2)).status == 200)
    var secrets = [
      Array(subject.utf8), Array(invite.utf8), Array(GuardUnderTest.issuer.utf8),
      [UInt8](repeating: 7, count: 32), array(service.accounts.key.sealing),
    ]
    for id in [owner.account, login.account] {
      let account = try #require(try await service.accounts.store.find(id).account)
      secrets.append(array(try SealedShare.open(account, by: service.accounts.key)))
    }
    let files = Data(try service.place.files())
    // The search finds what is there.
    #expect(files.range(of: Data(owner.account.bytes)) != nil)
    for secret in secrets {
      #expect(files.range(of: Data(secret)) == nil)
      #expect(files.range(of: Data(Hex.string(secret).utf8)) == nil)
    }
  }

  @Test func `the key's file is made once, read again, and refused when others can read it`()
    throws
  {
    let folder = URL(filePath: "/tmp/guard-key-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/server-key"
    let made = try ServerKey.create(path).guardID
    #expect(try ServerKey.load(path).guardID == made)
    #expect(throws: ServerKeyError.file(EEXIST, path)) { _ = try ServerKey.create(path) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["server-key"])
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(ServerKey.credentialPath(in: ["CREDENTIALS_DIRECTORY": folder.path]) == nil)
    try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/guard-server-key")
    let credential = try #require(
      ServerKey.credentialPath(in: ["CREDENTIALS_DIRECTORY": folder.path]))
    #expect(try ServerKey.load(credential).guardID == made)
    for mode in [0o640, 0o604, 0o660] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: credential)
      #expect(throws: ServerKeyError.open(credential)) { _ = try ServerKey.load(credential) }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credential)
    let digits = String(repeating: "0a", count: 32)
    for text in ["", digits.dropLast() + "", digits + "0", digits + "\n\n", digits.uppercased()] {
      try text.write(toFile: credential, atomically: false, encoding: .utf8)
      #expect(throws: ServerKeyError.invalid) { _ = try ServerKey.load(credential) }
    }
    #expect(throws: ServerKeyError.file(ENOENT, path)) { _ = try ServerKey.load(path) }
    #expect(throws: ServerKeyError.invalid) { _ = try ServerKey.load(folder.path) }
  }
}

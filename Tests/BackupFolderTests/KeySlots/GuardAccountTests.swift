import CSPP
import Foundation
import SecretMemory
import Testing

@testable import BackupFolder

/// The accounts at guards that the log knows, and their owner keys.
struct GuardAccountTests {
  private func numbers(_ open: borrowing OpenNamespace) throws -> [UInt64] {
    try open.guardAccounts().map { logged in
      #expect(logged.accounts.count == 3)
      let seed = logged.ownerKey
      let number = logged.accounts[0].createdAt
      #expect(unsafe seed.withUnsafeBytes { unsafe $0.allSatisfy { $0 == UInt8(number) } })
      return number
    }
  }

  @Test func `What was logged is there on every computer, with its owner key`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    #expect(try open.guardAccounts().isEmpty)
    try open.addGuardAccounts(accounts(2))
    try open.addGuardAccounts(accounts(1))
    #expect(try numbers(open) == [1, 2])
    let logged = try #require(try keys.unlock(.spare, "b").guardAccounts().first)
    #expect(logged.accounts == (try accounts(1)).accounts && !logged.isEarlier)
    #expect(logged.accounts.map(\.guardID) == (0..<3).map { GuardID(words: [5, $0]) })
    // No text of it can be read in the folder.
    for (name, data) in try Scene.contents(keys.scene.folder) {
      #expect(data.range(of: Data("g0.example".utf8)) == nil, "\(name)")
    }
  }

  @Test func `Two computers that write at once lose nothing`() throws {
    let keys = try Keyring()
    try keys.part()
    var here = try keys.unlock(.blue)
    try here.addGuardAccounts(accounts(1))
    var there = try keys.unlock(.spare, at: nil, "b", keys.replica)
    try there.addGuardAccounts(accounts(2))
    try there.addGuardAccounts(accounts(3))
    try keys.join()
    #expect(try numbers(keys.unlock(.blue)) == [1, 2, 3])
    #expect(try numbers(keys.unlock(.blue, "c")) == [1, 2, 3])
    // The same text twice is one.
    var again = try keys.unlock(.blue)
    try again.addGuardAccounts(accounts(2))
    #expect(try numbers(again) == [1, 2, 3])
  }

  @Test func `A text of a newer program is left out, and stays`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    let newer = #"{"owner_key":"00","accounts":"elsewhere"}"#
    try open.addSensitive(Array(newer.utf8), topic: GuardAccounts.topic)
    try open.addGuardAccounts(accounts(4))
    #expect(try numbers(open) == [4])
    var rotation = try keys.rotate(.blue, as: .newBlue)
    #expect(try numbers(rotation.namespace) == [4])
    let texts = try rotation.namespace.sensitiveTexts(GuardAccounts.topic)
    #expect(texts.contains(Array(newer.utf8)) && texts.count == 2)
    try rotation.namespace.add(.of("w1"))
  }

  @Test func `An account that an earlier namespace got later is told apart`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.addGuardAccounts(accounts(1))
    let old = open.id
    try keys.part()
    _ = try keys.rotate(.blue, as: .newBlue)
    var late = try keys.unlock(.spare, at: old, "b", keys.replica)
    try late.addGuardAccounts(accounts(2))
    try keys.join()
    let new = try keys.folder("a").namespace().id
    let logged = try keys.unlock(.newBlue, at: new).guardAccounts()
    #expect(logged.map { $0.accounts[0].createdAt } == [1, 2])
    #expect(logged.map(\.isEarlier) == [false, true])
  }
}

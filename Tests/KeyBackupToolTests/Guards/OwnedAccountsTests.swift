import CSPP
import GuardProtocol
import SecretMemory
import Testing

@testable import BackupFolder
@testable import Unlocking

/// Accounts of a way in that is to end, as its namespace and earlier ones name them.
@Suite struct OwnedAccountsTests {
  private typealias Answer = Result<AccountAnswer, GuardFault>

  private static func logged(
    _ count: Int, of key: KeyID, isEarlier: Bool
  ) throws -> [(account: GuardAccount, owner: LoggedGuardAccounts)] {
    let url = try #require(ServiceURL("https://guard.example"))
    let accounts = (0..<count).map { _ in
      GuardAccount(
        account: .random(), guardID: .random(), url: url, keyID: key, kind: .pin, createdAt: 1)
    }
    let owner = LoggedGuardAccounts(
      try GuardAccounts(ownerKey: .random(count: 32), accounts: accounts), isEarlier: isEarlier)
    return accounts.map { ($0, owner) }
  }

  @Test func `Entries of an earlier namespace make no way in look open or closed`() throws {
    let key = KeyID.random()
    let own = try Self.logged(3, of: key, isEarlier: false)
    let planted = try Self.logged(8, of: key, isEarlier: true)
    let owned = OwnedAccounts(keyID: key, logged: own + planted, moved: [:])
    let down = Answer.failure(.missing("it is down"))
    let gone = Answer.failure(.refused(.disabled))
    for (missing, isOpen) in [(0, false), (1, false), (2, true), (3, true)] {
      for others in [down, gone] {
        let answers =
          [Answer](repeating: down, count: missing)
          + [Answer](repeating: gone, count: 3 - missing) + [Answer](repeating: others, count: 8)
        let result = owned.result(of: answers)
        #expect(result.done.count + result.failed.count == 11)
        #expect(result.missing.count == missing && result.proved.count == 3 - missing)
        #expect(owned.mayOpen(after: result) == isOpen, "\(missing) of 3 are missing")
      }
    }
    // Accounts that only an earlier namespace has open nothing that this backup knows.
    let foreign = OwnedAccounts(keyID: key, logged: planted, moved: [:])
    let result = foreign.result(of: [Answer](repeating: down, count: 8))
    #expect(result.failed.count == 8 && !foreign.mayOpen(after: result))
  }

  @Test func `A guard that did it for one account and not for another is missing once`() throws {
    let key = KeyID.random()
    let own = try Self.logged(3, of: key, isEarlier: false)
    let owned = OwnedAccounts(keyID: key, logged: own + own, moved: [:])
    let down = Answer.failure(.missing("it is down"))
    let gone = Answer.failure(.refused(.disabled))
    let result = owned.result(of: [gone, gone, gone, down, gone, gone])
    #expect(result.missing == [own[0].account.guardID] && !owned.mayOpen(after: result))
  }
}

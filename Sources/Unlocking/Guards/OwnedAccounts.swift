package import BackupFolder
package import CSPP
package import CommandKit
internal import FoundationEssentials
package import GuardProtocol
internal import SecretMemory
internal import SyncFolders

/// One key slot's accounts at guards, which anyone who opened the backup may end.
package struct OwnedAccounts {
  package let keyID: KeyID
  private let logged: [(account: GuardAccount, owner: LoggedGuardAccounts)]
  private let moved: [GuardID: ServiceURL]

  /// The accounts of all key slots that the log knows.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - moved: addresses that a person gave.
  /// - Returns: the accounts of each key slot, the oldest first.
  /// - Throws: the errors of the folder.
  package static func all(
    _ opened: borrowing OpenNamespace, moved: [GuardID: ServiceURL]
  ) throws(UserMessage) -> [OwnedAccounts] {
    let texts: [LoggedGuardAccounts]
    do throws(BackupFolderError) {
      texts = try opened.guardAccounts()
    } catch {
      throw UserMessage(error)
    }
    var order: [KeyID] = []
    var found: [KeyID: [(GuardAccount, LoggedGuardAccounts)]] = [:]
    for text in texts {
      for account in text.accounts {
        if found[account.keyID] == nil { order.append(account.keyID) }
        found[account.keyID, default: []].append((account, text))
      }
    }
    return order.map { OwnedAccounts(keyID: $0, logged: found[$0] ?? [], moved: moved) }
  }

  package init(
    keyID: KeyID, logged: [(GuardAccount, LoggedGuardAccounts)], moved: [GuardID: ServiceURL]
  ) {
    self.keyID = keyID
    self.logged = logged
    self.moved = moved
  }

  /// The guards that not only an earlier namespace names.
  private var guards: Set<GuardID> {
    Set(logged.filter { !$0.owner.isEarlier }.map(\.account.guardID))
  }
  /// The latest time at which one was about to be created, in Unix seconds.
  package var newest: UInt64 { logged.map(\.account.createdAt).max() ?? 0 }
  /// Whether they are of a login way.
  package var areLogins: Bool { logged.contains { $0.account.kind == .login } }

  /// The result of asking all guards.
  package struct Result {
    /// The guards that did it.
    package var done: [AskedGuard] = []
    /// The guards that did not, and why.
    package var failed: [(server: AskedGuard, fault: GuardFault)] = []
    /// Those that did it for an account that not only an earlier namespace names.
    ///
    /// Anyone who has a master key that was given up may have named guards of their own there.
    package var proved: Set<GuardID> = []
    /// Those that did not do it for such an account.
    package var missing: Set<GuardID> = []
    /// The accounts that the guards in `done` named.
    package var accounts: [GuardAccountID] = []
    /// The accounts of `failed`, in its order.
    var failedAccounts: [GuardAccountID] = []
  }

  /// Whether the guards that did not retire their accounts may be enough to open the way in.
  ///
  /// More than half of all guards are needed. Entries that only an earlier namespace has do not
  /// count: they could make a way in look open, or closed.
  package func mayOpen(after result: Result) -> Bool { result.missing.count * 2 > guards.count }

  /// Retires all accounts.
  ///
  /// A guard that does not know an account has none: its creation failed. No refusal is signed, so
  /// that counts only where the guard's signed description is at the same address.
  ///
  /// - Parameters:
  ///   - caller: asks.
  ///   - known: accounts that are retired already, which the result leaves out.
  /// - Returns: the guards that did it, and the others.
  /// - Throws: `interrupted`, `io`.
  package func retire(
    _ caller: GuardCaller, besides known: RetiredAccounts
  ) throws(UserMessage) -> Result {
    var result = try ask(caller, .retire, besides: known) { AccountRequest(account: $0) }
    let ignorant = result.failed.indices.filter {
      result.failed[$0].fault == .refused(.unknown)
    }
    if ignorant.isEmpty { return result }
    let infos = try caller.infos(ignorant.map { result.failed[$0].server.url })
    for (place, info) in zip(ignorant, infos).reversed() {
      let server = result.failed[place].server
      if case .success(let info) = info, info.guardID == server.guardID {
        result.failed.remove(at: place)
        result.done.append(server)
        result.accounts.append(result.failedAccounts.remove(at: place))
      } else {
        result.failed[place].fault = .missing("this guard is not at its address any more")
      }
    }
    return result
  }

  /// Vetoes a release at all guards.
  ///
  /// A guard that does not know the account has stopped nothing.
  package func veto(_ release: ReleaseID, _ caller: GuardCaller) throws(UserMessage) -> Result {
    try ask(caller, .veto) { VetoRequest(account: $0, release: release) }
  }

  private func ask<Request: GuardMessage>(
    _ caller: GuardCaller, _ call: GuardCall, besides known: RetiredAccounts? = nil,
    _ request: (GuardAccountID) -> Request
  ) throws(UserMessage) -> Result {
    var calls: [GuardCaller.Call] = []
    for (account, owner) in logged {
      let signer: GuardSigner
      do throws(GuardProtocolError) {
        signer = try GuardSigner(seed: owner.ownerKey)
      } catch {
        throw UserMessage(error)
      }
      calls.append(
        GuardCaller.Call(call, request(account.account), to: server(of: account), by: signer))
    }
    return result(
      of: try caller.answers(to: calls, as: AccountAnswer.self, repeats: 1), besides: known)
  }

  /// The result of the answers for all accounts, in their order.
  package func result(
    of answers: [Swift.Result<AccountAnswer, GuardFault>], besides known: RetiredAccounts? = nil
  ) -> Result {
    var result = Result()
    for ((account, owner), answer) in zip(logged, answers) {
      if known?.contains(account.account) == true { continue }
      let server = server(of: account)
      switch answer {
      case .success, .failure(.refused(.disabled)):
        result.done.append(server)
        result.accounts.append(account.account)
        if !owner.isEarlier { result.proved.insert(server.guardID) }
      case .failure(let fault):
        result.failed.append((server, fault))
        result.failedAccounts.append(account.account)
        if !owner.isEarlier { result.missing.insert(server.guardID) }
      }
    }
    return result
  }

  private func server(of account: GuardAccount) -> AskedGuard {
    AskedGuard(guardID: account.guardID, url: moved[account.guardID] ?? account.url)
  }
}

/// The accounts that this computer knows to be retired, so that each is told once.
///
/// The log names the accounts of all ways in forever. They are asked again each time, because a
/// guard may have restored an old copy. Only the report leaves them out.
package struct RetiredAccounts: Equatable, Sendable {
  private var accounts: Set<String>

  private static let name = "retired.json"
  private static let fileLimit = 1 << 20

  /// The accounts in this computer's state.
  package static func of(_ world: World) -> RetiredAccounts {
    guard let folder = world.guardFolder,
      let text = ForeignFile.text("\(folder)/\(name)", limit: fileLimit)
    else { return RetiredAccounts(accounts: []) }
    return RetiredAccounts(accounts: list(Array(text.utf8)))
  }

  private static func list(_ bytes: [UInt8]) -> Set<String> {
    Set((try? JSONDecoder().decode([String].self, from: Data(bytes))) ?? [])
  }

  /// Whether an account is known to be retired.
  package func contains(_ account: GuardAccountID) -> Bool { accounts.contains(account.hex) }

  /// Takes accounts in, and stores all; without that a later run tells of them again.
  package mutating func add(_ more: [GuardAccountID], _ world: World) {
    let all = accounts.union(more.map(\.hex))
    guard all != accounts else { return }
    accounts = all
    guard let folder = world.guardFolder else { return }
    try? PrivateFolder.update(Self.name, in: folder, limit: Self.fileLimit) { known in
      // Another run may have taken some in meanwhile.
      accounts.formUnion(known.map(Self.list) ?? [])
      return (try? JSONEncoder().encode(accounts.sorted())).map { Array($0) }
    }
  }
}

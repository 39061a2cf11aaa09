internal import BackupFolder
internal import CSPP
internal import FoundationEssentials
internal import GuardProtocol
internal import SecretMemory

/// One key slot's accounts at guards, which anyone who opened the backup may end.
struct OwnedAccounts {
  let keyID: KeyID
  private let logged: [(account: GuardAccount, owner: LoggedGuardAccounts)]
  private let moved: [GuardID: ServiceURL]

  /// The accounts of all key slots that the log knows.
  ///
  /// - Parameters:
  ///   - opened: the backup.
  ///   - moved: addresses that a person gave.
  /// - Returns: the accounts of each key slot, the oldest first.
  /// - Throws: the errors of the folder.
  static func all(
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

  private init(
    keyID: KeyID, logged: [(GuardAccount, LoggedGuardAccounts)], moved: [GuardID: ServiceURL]
  ) {
    self.keyID = keyID
    self.logged = logged
    self.moved = moved
  }

  /// The number of accounts.
  var count: Int { logged.count }
  /// The latest time at which one was about to be created, in Unix seconds.
  var newest: UInt64 { logged.map(\.account.createdAt).max() ?? 0 }
  /// Whether they are of a login way.
  var areLogins: Bool { logged.contains { $0.account.kind == .login } }

  /// The result of asking all guards.
  struct Result {
    /// The guards that did it.
    var done: [AskedGuard] = []
    /// The guards that did not, and why.
    var failed: [(server: AskedGuard, fault: GuardFault)] = []
    /// Those that did it for an account that not only an earlier namespace names.
    ///
    /// Anyone who has a master key that was given up may have named guards of their own there.
    var proved: Set<GuardID> = []
    /// The accounts that the guards in `done` named.
    var accounts: [GuardAccountID] = []
  }

  /// Retires all accounts.
  ///
  /// A guard that does not know an account has none: its creation failed, or it was retired there.
  ///
  /// - Parameters:
  ///   - caller: asks.
  ///   - known: accounts that are retired already, which the result leaves out.
  /// - Returns: the guards that did it, and the others.
  /// - Throws: `interrupted`, `io`.
  func retire(
    _ caller: GuardCaller, besides known: RetiredAccounts
  ) throws(UserMessage) -> Result {
    try ask(caller, .retire, besides: known) { AccountRequest(account: $0) }
  }

  /// Vetoes a release at all guards.
  func veto(_ release: ReleaseID, _ caller: GuardCaller) throws(UserMessage) -> Result {
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
      let server = AskedGuard(
        guardID: account.guardID, url: moved[account.guardID] ?? account.url)
      calls.append(GuardCaller.Call(call, request(account.account), to: server, by: signer))
    }
    let answers = try caller.answers(to: calls, as: AccountAnswer.self, repeats: 1)
    var result = Result()
    for (place, answer) in answers.enumerated() {
      let server = calls[place].server
      let account = logged[place].account.account
      if known?.contains(account) == true { continue }
      switch answer {
      case .success, .failure(.refused(.unknown)), .failure(.refused(.disabled)):
        result.done.append(server)
        result.accounts.append(account)
        if !logged[place].owner.isEarlier { result.proved.insert(server.guardID) }
      case .failure(let fault): result.failed.append((server, fault))
      }
    }
    return result
  }
}

/// The accounts that this computer knows to be retired, so that each is told once.
///
/// The log names the accounts of all ways in forever. They are asked again each time, because a
/// guard may have restored an old copy. Only the report leaves them out.
struct RetiredAccounts: Equatable, Sendable {
  private var accounts: Set<String>

  private static let name = "retired.json"
  private static let fileLimit = 1 << 20

  /// The accounts in this computer's state.
  static func of(_ world: World) -> RetiredAccounts {
    guard let folder = folder(world),
      let text = ForeignFile.text("\(folder)/\(name)", limit: fileLimit),
      let known = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
    else { return RetiredAccounts(accounts: []) }
    return RetiredAccounts(accounts: Set(known))
  }

  /// Whether an account is known to be retired.
  func contains(_ account: GuardAccountID) -> Bool { accounts.contains(account.hex) }

  /// Takes accounts in, and stores all; without that a later run tells of them again.
  mutating func add(_ more: [GuardAccountID], _ world: World) {
    let all = accounts.union(more.map(\.hex))
    guard all != accounts else { return }
    accounts = all
    guard let folder = Self.folder(world), let bytes = try? JSONEncoder().encode(all.sorted())
    else { return }
    try? PrivateFolder.replace(Array(bytes), as: Self.name, in: folder)
  }

  private static func folder(_ world: World) -> String? { world.stateFolder.map { $0 + "/guards" } }
}

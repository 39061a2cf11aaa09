public import CSPP
public import SecretMemory

/// Accounts at guards that the log knows, with their owner key, in memory that can be shared.
public final class LoggedGuardAccounts: Sendable {
  private let text: GuardAccounts
  /// Whether only an earlier namespace has them.
  ///
  /// Anyone who has a master key that was given up may have written them: they may be ended, and
  /// nothing else may rest on them.
  public let isEarlier: Bool

  init(_ text: consuming GuardAccounts, isEarlier: Bool) {
    self.text = text
    self.isEarlier = isEarlier
  }

  /// The accounts that this owner key may end.
  public var accounts: [GuardAccount] { text.accounts }
  /// A copy of the owner key's seed, 32 bytes.
  public var ownerKey: SecretBytes { text.ownerKey.copy() }
}

extension OpenNamespace {
  /// Every account at a guard that this backup ever was about to create.
  ///
  /// Each enrolment has an owner key of its own, so what two computers log at once adds up. A guard
  /// may not know the account: its creation may have failed. Texts of a newer program are left out.
  ///
  /// - Throws: if a listing fails.
  public func guardAccounts() throws(BackupFolderError) -> [LoggedGuardAccounts] {
    var found: [LoggedGuardAccounts] = []
    try forEachSensitive(GuardAccounts.topic) { text, isEarlier in
      guard let accounts = try? GuardAccounts(parsing: text) else { return }
      found.append(LoggedGuardAccounts(accounts, isEarlier: isEarlier))
    }
    return found.sorted { $0.order < $1.order }
  }

  /// Whether the log says that a key slot was removed.
  public func isKeySlotRemoved(_ key: KeyID) -> Bool { log.removedKeys.contains(key) }

  /// Whether the log enrols a key slot and does not remove it, also where its file is missing.
  public func isKeySlotEnrolled(_ key: KeyID) -> Bool {
    log.keyFiles[key] != nil && !isKeySlotRemoved(key)
  }

  /// Logs accounts with their owner key, durably: before any guard is asked to create one.
  ///
  /// - Parameter accounts: the accounts of one enrolment, with an owner key that no other has.
  /// - Throws: ``BackupFolderError/diskFull(path:)`` and other system errors; nothing was logged
  ///   then, and no account may be created.
  public mutating func addGuardAccounts(
    _ accounts: borrowing GuardAccounts
  ) throws(BackupFolderError) {
    try addSensitive(accounts.text(), topic: GuardAccounts.topic)
  }
}

extension LoggedGuardAccounts {
  /// By time, then by account.
  fileprivate var order: (UInt64, GuardAccountID) {
    (accounts[0].createdAt, accounts[0].account)
  }
}

internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import FileCommands
internal import SecretMemory
internal import SyncFolders
internal import Unlocking

/// `wallet add` on a computer that may add wallets without a touch.
///
/// It cannot read the backup, so it compares nothing with the wallets that are there.
struct SilentWalletAddition {
  let folder: BackupFolder
  let writer: LocalSilentWriter

  /// nil where this computer may not add wallets without a touch, or a way in is asked for.
  ///
  /// - Throws: as ``LocalWriterChoice/writer(_:_:for:_:)``.
  static func here(
    _ unlock: UnlockOptions, withKey: Bool, _ world: World
  ) throws(UserMessage) -> SilentWalletAddition? {
    if withKey || unlock.recovery.isUsed || unlock.guards.isUsed { return nil }
    // Where the folder does not open, opening the backup says why.
    guard let path = try? unlock.folder.path(world, unlock.output(world)),
      let folder = try? Backup.folder(at: path, world, unlock.common),
      let writer = try LocalWriterChoice.writer(folder, unlock.folder, for: .put, world)
    else { return nil }
    return SilentWalletAddition(folder: folder, writer: writer)
  }

  /// Adds a wallet, durably.
  ///
  /// - Returns: the backup, and why the wallet does not count yet; nil: it does.
  /// - Throws: `cannot-create` for one that this computer added before; errors of the folder.
  func add(
    _ batch: borrowing WalletBatch
  ) throws(UserMessage) -> (backup: NamespaceID?, uncounted: UserMessage?) {
    do throws(BackupFolderError) {
      _ = try folder.addSilently(batch, as: writer)
      return (writer.namespaceID, writer.uncounted(in: folder))
    } catch {
      throw UserMessage(error)
    }
  }
}

public import CSPP
public import SecretMemory

/// A namespace whose master key is known and whose logs have been opened.
///
/// Reading never writes to the folder. Every writing call takes this computer's
/// lock, reads what other programs logged meanwhile, and completes what a
/// crash left undone.
public struct OpenNamespace: ~Copyable {
  /// The namespace.
  public let id: NamespaceID
  /// Whether the logs are whole, and the newest this computer has seen.
  public private(set) var health: LogHealth
  let masterKey: MasterKey

  /// Opens every wallet, one after the other, from the CSPP files and then
  /// from the log what no CSPP file holds.
  ///
  /// One wallet that does not open never stops the others. Memory does not
  /// grow with the wallets' sizes or number, but for an index of about 200
  /// bytes each.
  ///
  /// - Parameter body: gets each version and lends its entry's bytes, exactly
  ///   as they were sealed.
  /// - Throws: only what `body` throws.
  public mutating func forEachWallet<E: Error>(
    _ body: (WalletVersion, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) -> WalletReport {
    WalletReport()
  }

  /// Opens every wallet and only counts.
  public mutating func verify() -> WalletReport {
    forEachWallet { _, _ in }
  }

  /// Adds wallets or new versions of wallets, durably, all or none.
  ///
  /// Every staged file is on the disk and checked before the operation that
  /// makes them count gets its name. (A batch beyond
  /// ``BackupFolder/Settings/operationSize`` is several operations, each all
  /// or none.)
  ///
  /// - Returns: the wallets' records, in order.
  /// - Throws: ``BackupFolderError/diskFull(path:)``,
  ///   ``BackupFolderError/busy(path:)`` and other system errors.
  @discardableResult
  public mutating func add(
    _ batch: borrowing WalletBatch
  ) throws(BackupFolderError) -> [RecordID] {
    throw .internalError("not built yet")
  }

  /// Removes wallets: they are gone for readers, but their secrets stay in the
  /// log until the master key is rotated.
  ///
  /// - Throws: ``BackupFolderError/noSuchWallet(_:)`` before anything is
  ///   written; system errors.
  public mutating func remove(_ records: [RecordID]) throws(BackupFolderError) {
    throw .internalError("not built yet")
  }

  /// Enrols another security key.
  ///
  /// - Parameters: as ``BackupFolder/create(_:prfOutput:confirmedBy:)``.
  public mutating func addWayIn(
    _ enrolment: Enrolment, prfOutput: borrowing SecretBytes,
    confirmedBy confirmation: borrowing SecretBytes
  ) throws(BackupFolderError) {
    throw .internalError("not built yet")
  }

  /// Completes what a crash left undone: missing and old CSPP files, left-over
  /// temporary files, files of ways in that only the log holds.
  public mutating func heal() throws(BackupFolderError) {
    throw .internalError("not built yet")
  }
}

// This folder is for the wallets' CSPP files, which are made from the log for other programs. It
// reads them (ViewFiles, WalletReader, WalletPass), writes new ones under temporary names
// (ViewStager). Placing and repairing them is in Repair. This room does not know the user's changes
// or their reasons.

/// The CSPP files of a namespace as one run knows them.
///
/// The view is made from the log, and repaired from it (``ViewSurvey`` and
/// ``OpenNamespace/repair()``).
struct WalletView: ~Copyable {
  /// Opens and seals the envelopes.
  var reader: WalletReader
  /// The number of files that were written.
  var written = 0
  /// Files that were removed: what they held is in the log.
  var removed: [String] = []
  /// The reason why the last writing call could not update the files from the log.
  var problem: BackupFolderError?

  init(_ reader: consuming WalletReader) { self.reader = reader }
}

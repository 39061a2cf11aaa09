// This folder is for the wallets' CSPP files, which are made from the log for other
// programs: going through them (ViewFiles, WalletReader, WalletPass), writing new ones under
// temporary names (ViewStager), and the cache of what they held. Placing and repairing them is
// in Repair. What a person changes, and why, is not known here.

/// The CSPP files of a namespace, as one run knows them.
///
/// The view is made from the log: what is wrong with it is repaired from there
/// (``ViewSurvey``, and ``OpenNamespace/repair()``).
struct WalletView: ~Copyable {
  /// Opens and seals their envelopes.
  var reader: WalletReader
  /// What they held when they were last opened; nil until a writing run asks.
  var stamps: ViewStamps?
  /// Files that this run wrote, with their stamps before they got their names.
  var written: [ViewStamps.Entry] = []
  /// Why the last writing call could not bring them in line with the log.
  var problem: BackupFolderError?

  init(_ reader: consuming WalletReader) { self.reader = reader }
}

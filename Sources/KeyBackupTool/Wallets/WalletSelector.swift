internal import BackupFolder
internal import CSPP

/// Finds the wallet that the user names by its ID, record ID or name.
enum WalletSelector {
  /// Whether the selector matches a wallet.
  static func matches(_ selector: String, _ version: WalletVersion) -> Bool {
    version.entry.walletID == selector || version.recordID.hex == selector
      || version.entry.name == selector
  }

  /// Whether the selector matches a wallet by its ID or record ID.
  static func matchesID(_ selector: String, _ row: WalletRow) -> Bool {
    row.id == selector || row.recordID.hex == selector
  }

  /// The wallet that the user means, as its first version.
  ///
  /// An ID takes precedence over a name.
  ///
  /// - Throws: `no-input` for none, or the reading problem if not everything could be read;
  ///   `ambiguous` for several of one name.
  static func only(
    _ found: [WalletRow], _ selector: String, _ report: WalletReport, _ health: LogHealth,
    _ logFindings: [FileFinding]
  ) throws(UserMessage) -> WalletRow {
    let byID = found.filter { matchesID(selector, $0) }
    let meant = byID.isEmpty ? found : byID
    guard let first = meant.first else {
      let name = PrintableText.clean(selector)
      let reading = report.exitCode(health, logFindings)
      guard reading != .success else {
        throw UserMessage(
          .noInput, "there is no wallet \"\(name)\" in the backup",
          hint: "keybackup wallet list shows what is there")
      }
      throw UserMessage(
        reading, "no wallet \"\(name)\" could be read",
        hint: "not everything in the folder could be; keybackup verify --deep tells what")
    }
    guard meant.allSatisfy({ $0.recordID == first.recordID }) else {
      throw UserMessage(
        .ambiguous, "several wallets have this name",
        hint: "name one by its ID: "
          + meant.map { PrintableText.clean($0.id) }.joined(separator: ", "))
    }
    return first
  }
}

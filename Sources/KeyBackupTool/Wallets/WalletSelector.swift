internal import BackupFolder
internal import CSPP

/// Finds the wallet a person names by its name, its ID or record ID, or the beginning of one.
enum WalletSelector {
  /// Why a text names no wallet of any backup; nil: it may.
  static func problem(_ selector: String) -> String? {
    selector.trimmed.isEmpty ? "name the wallet: its name, its ID or the start of the ID" : nil
  }

  /// Whether a wallet may be meant.
  static func matches(_ selector: String, _ version: WalletVersion) -> Bool {
    version.entry.name == selector || matchesBeginning(selector, version)
      || matchesID(selector, WalletRow(version))
  }

  private static func matchesBeginning(_ selector: String, _ version: WalletVersion) -> Bool {
    ShortID.matches(selector, version.entry.walletID)
      || ShortID.matches(selector.lowercased(), version.recordID.hex)
  }

  /// Whether the selector matches a wallet by its ID or record ID.
  static func matchesID(_ selector: String, _ row: WalletRow) -> Bool {
    row.id == selector || row.recordID.hex == selector
  }

  /// The wallet that the user means, as its first version.
  ///
  /// A whole ID wins over a name; the beginning of one does not.
  ///
  /// - Throws: `no-input` for none, or what else is wrong where not everything
  ///   could be read; `ambiguous` for several.
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
          hint: "to see what is there: keybackup wallet list")
      }
      throw UserMessage(
        reading, "no wallet \"\(name)\" could be read",
        hint: "some files of the folder could not be read; to see which: keybackup verify --deep")
    }
    guard meant.allSatisfy({ $0.recordID == first.recordID }) else {
      throw ambiguous(selector, meant)
    }
    return first
  }

  /// Fails where several wallets fit.
  ///
  /// - Throws: `ambiguous`.
  static func requireOne(_ selector: String, _ found: [WalletRow]) throws(UserMessage) {
    let byID = found.filter { matchesID(selector, $0) }
    let meant = byID.isEmpty ? found : byID
    guard Set(meant.map(\.recordID)).count > 1 else { return }
    throw ambiguous(selector, meant)
  }

  private static func ambiguous(_ selector: String, _ meant: [WalletRow]) -> UserMessage {
    var records: Set<RecordID> = []
    let wallets = meant.filter { records.insert($0.recordID).inserted }
    let ids = ShortID.shown(wallets.map { PrintableText.clean($0.id) })
    let shown = zip(ids, wallets).prefix(10).map { id, wallet in
      "\(id) (\"\(PrintableText.clean(wallet.name ?? "-", limit: 40))\")"
    }.joined(separator: ", ")
    let rest = wallets.count > 10 ? " and \(wallets.count - 10) more" : ""
    return UserMessage(
      .ambiguous,
      "\(wallets.count) wallets have the name or an ID that begins with "
        + "\"\(PrintableText.clean(selector))\"",
      hint: "name one by its ID: \(shown)\(rest)")
  }
}

internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import Unlocking

/// Finds the wallet a person names by its name, its ID or record ID, or the beginning of one.
enum WalletSelector {
  /// Why a text names no wallet of any backup; nil: it may.
  static func problem(_ selector: String) -> String? {
    selector.trimmed.isEmpty ? "name the wallet: its name, its ID or the start of the ID" : nil
  }

  /// Whether a wallet may be meant.
  static func matches(_ selector: String, _ version: WalletVersion) -> Bool {
    matches(selector, WalletRow(version))
  }

  /// Whether a wallet may be meant.
  static func matches(_ selector: String, _ row: WalletRow) -> Bool {
    row.name == selector || matchesBeginning(selector, row) || matchesID(selector, row)
  }

  private static func matchesBeginning(_ selector: String, _ row: WalletRow) -> Bool {
    ShortID.matches(selector, row.id) || ShortID.matches(selector.lowercased(), row.recordID.hex)
      || (selector.utf8.allSatisfy { Hex.isDigit($0, upperCase: true) }
        && ShortID.matches(selector.lowercased(), row.id))
  }

  /// Whether the selector matches a wallet by its ID or record ID.
  static func matchesID(_ selector: String, _ row: WalletRow) -> Bool {
    row.id == selector || row.recordID.hex == selector
  }

  /// The wallet that the user means, as its first version.
  ///
  /// A whole ID wins over the beginning of one, unless a list shows that beginning. It does not win
  /// over another wallet's name. Someone else may have chosen each of these.
  ///
  /// - Throws: `no-input` for none, or what else is wrong where not everything
  ///   could be read; `ambiguous` for several.
  static func only(
    _ found: [WalletRow], _ selector: String, _ report: WalletReport, _ health: LogHealth,
    _ logFindings: [FileFinding], besides similar: SimilarWallets
  ) throws(UserMessage) -> WalletRow {
    let meant = meant(found, selector)
    guard let first = meant.first else {
      let name = PrintableText.name(selector)
      let reading = report.exitCode(health, logFindings)
      guard reading != .success else {
        throw UserMessage(
          .noInput, "there is no wallet \"\(name)\" in the backup",
          hint: ShortID.shortHint(selector) + (similar.advice.map { $0 + "\n" } ?? "")
            + "to see what is there: keybackup wallet list\n"
            + "to see removed ones too: keybackup wallet history")
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
    let meant = meant(found, selector)
    guard Set(meant.map(\.recordID)).count > 1 else { return }
    throw ambiguous(selector, meant)
  }

  /// Those that have the selector as their whole ID or as their name, or all if none has it as its
  /// ID.
  ///
  /// All also where a list would show it as another one's ID, if nobody had a wallet with this whole
  /// ID. A record ID wins over all of these: nobody chose it.
  static func meant(_ found: [WalletRow], _ selector: String) -> [WalletRow] {
    let records = found.filter { $0.recordID.hex == selector }
    if !records.isEmpty { return records }
    let others = found.filter { $0.id != selector }
    if others.count == found.count { return found }
    let isShown = zip(others, ShortID.shown(others.map(\.id))).contains {
      $1 == selector && $0.id != $1
    }
    return isShown ? found : found.filter { $0.id == selector || $0.name == selector }
  }

  /// The digits of a wallet's ID that a list shows.
  ///
  /// - Parameters:
  ///   - row: the wallet.
  ///   - all: those of the list.
  /// - Returns: nil where they are no plain word, or name another wallet, too.
  static func shownID(of row: WalletRow, among all: [WalletRow]) -> String? {
    let others = all.filter { $0.recordID != row.recordID }
    let id = ShortID.shown(row.id, among: others.map(\.id))
    let isPlain =
      !id.hasPrefix("-")
      && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    return isPlain && matches(id, row) && !others.contains { matches(id, $0) } ? id : nil
  }

  private static func ambiguous(_ selector: String, _ meant: [WalletRow]) -> UserMessage {
    var seen: Set<RecordID> = []
    let wallets = meant.filter { seen.insert($0.recordID).inserted }
    let short = ShortID.shown(wallets.map { PrintableText.name($0.id) })
    let records = ShortID.shown(wallets.map(\.recordID.hex))
    let ids = zip(zip(short, records), wallets).map { ids, wallet in
      // An ID that is also the name of another one would be ambiguous again.
      let isName = wallets.contains { $0.recordID != wallet.recordID && matches(ids.0, $0) }
      return isName ? ids.1 : ids.0
    }
    let shown = zip(ids, wallets).prefix(10).map { id, wallet in
      "\(id) (\"\(PrintableText.name(wallet.name ?? "-", limit: 40))\")"
    }.joined(separator: ", ")
    let rest = wallets.count > 10 ? " and \(wallets.count - 10) more" : ""
    return UserMessage(
      .ambiguous,
      "\(wallets.count) wallets have the name or an ID that begins with "
        + "\"\(PrintableText.name(selector))\"",
      hint: "name one by its ID: \(shown)\(rest)")
  }
}

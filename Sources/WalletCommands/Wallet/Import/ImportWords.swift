package import BackupFolder
package import CSPP
internal import CommandKit

extension OpenNamespace {
  /// The sentence at the end of an import.
  ///
  /// - Parameters:
  ///   - added: how many wallets it added.
  ///   - unchanged: how many are in the backup already.
  ///   - records: of the backup's wallets that the file holds too.
  ///   - same: what those have in common with the file's.
  /// - Returns: one or two sentences.
  package mutating func importWords(
    added: Int, unchanged: Int, of records: Set<RecordID>, same: String
  ) -> String {
    if added == 0, unchanged > 0 {
      return
        "Nothing new: \(unchanged) \(unchanged == 1 ? "wallet is" : "wallets are") in the backup "
        + "already: \(names(of: records))."
    }
    let known =
      unchanged == 0
      ? "" : " \(unchanged) \(unchanged == 1 ? "was" : "were") there with the same \(same)."
    return
      "Imported \(added) \(added == 1 ? "wallet" : "wallets"), saved here and checked.\(known)"
  }

  /// Some wallets' names for a sentence; the first few of many.
  private mutating func names(of records: Set<RecordID>) -> String {
    var names: [String] = []
    _ = forEachWallet { version, _ in
      guard version.ordinal == 0, records.contains(version.recordID) else { return }
      let name = version.entry.name ?? version.entry.walletID
      names.append("\"\(PrintableText.name(name, limit: 40))\"")
    }
    let shown = names.sorted().prefix(Self.shownNames)
    let rest = names.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private static var shownNames: Int { 10 }
}

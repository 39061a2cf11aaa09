// This folder is for selecting the wallet that the user means, and for showing a wallet or a
// version as a row. Commands use it on an open namespace. The opening of that namespace is not
// known here.

internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import WalletFormats

/// The wallet that the user means.
struct ChosenWallet: ~Copyable {
  /// The selected version, or several if that was allowed; never empty.
  let versions: [VersionRow]
  /// The first version's parsed entry.
  let entry: WalletEntry
  /// The first version's entry.
  let bytes: SecretBytes

  /// The wallet's record.
  var recordID: RecordID { versions[0].wallet.recordID }

  /// Finds the wallet.
  ///
  /// - Parameters:
  ///   - selector: a name, an ID, a record ID, or the beginning of one; a whole ID wins
  ///     over a beginning.
  ///   - versionID: this version, also of a removed wallet; nil for the one that counts.
  ///   - allowsVersions: whether it may be all versions of one wallet that count.
  ///   - opened: the backup.
  /// - Returns: the wallet.
  /// - Throws: `no-input` for none, `ambiguous` for several.
  static func find(
    _ selector: String, versionID: String?, allowsVersions: Bool = false,
    in opened: inout OpenNamespace
  ) throws(UserMessage) -> ChosenWallet {
    if let versionID { return try find(selector, version: versionID, in: &opened) }
    var found: [WalletVersion] = []
    var spending: [VersionID: WalletSpending] = [:]
    // The bytes of the version that `only` will select: the first match, and a match by ID before
    // any other; with the name of another wallet, none is selected.
    var bytes = SecretBytes(zeroed: 0)
    var isByID = false
    var similar = SimilarWallets(to: selector)
    let report = opened.forEachWallet { version, entry in
      similar.note(version)
      guard WalletSelector.matches(selector, version) else { return }
      let matchesID = WalletSelector.matchesID(selector, WalletRow(version))
      if bytes.count == 0 || (matchesID && !isByID) {
        bytes = entry.copy()
        isByID = isByID || matchesID
      }
      found.append(version)
      spending[version.id] = version.entry.spending(in: entry)
    }
    try Interruption.check()
    let row = try WalletSelector.only(
      found.map { WalletRow($0) }, selector, report, opened.health, opened.logFindings,
      besides: similar)
    let versions = found.filter { $0.recordID == row.recordID }
    if versions.count > 1, !allowsVersions { throw ambiguous(versions) }
    var rows: [VersionRow] = []
    for version in versions {
      rows.append(VersionRow(version, opened.origin(of: version), spending[version.id]))
    }
    VersionRow.tellApart(&rows)
    return ChosenWallet(versions: rows, entry: versions[0].entry, bytes: bytes)
  }

  /// Finds one version among all that count or that the log keeps.
  private static func find(
    _ selector: String, version: String, in opened: inout OpenNamespace
  ) throws(UserMessage) -> ChosenWallet {
    let history = WalletHistory(in: &opened)
    try Interruption.check()
    let row = try history.only(selector, version: version, opened.health, opened.logFindings)
    let record = row.wallet.recordID
    var entry: WalletEntry?
    var bytes = SecretBytes(zeroed: 0)
    if row.isPast {
      _ = opened.forEachPastVersion(of: record) { past, read in
        guard past.id == row.version else { return }
        entry = past.entry
        bytes = read.copy()
      }
    } else {
      _ = opened.forEachWallet { version, read in
        guard version.recordID == record, version.id == row.version else { return }
        entry = version.entry
        bytes = read.copy()
      }
    }
    guard let entry else { throw UserMessage(.noSuchVersion(record)) }
    return ChosenWallet(versions: [row], entry: entry, bytes: bytes)
  }

  /// The error that a secret must not be chosen from several.
  private static func ambiguous(_ versions: [WalletVersion]) -> UserMessage {
    UserMessage(
      .ambiguous, "the wallet has \(versions.count) versions",
      hint: "name one with --version: " + VersionSelector.list(versions.map(\.id))
        + "; to see them: keybackup conflicts list")
  }
}

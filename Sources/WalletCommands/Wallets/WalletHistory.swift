package import BackupFolder
internal import CSPP
package import CommandKit
internal import WalletFormats

/// Every version of the backup's wallets: those that count, and those that the log keeps.
///
/// It holds no secret.
package struct WalletHistory: Sendable {
  /// The versions of all wallets.
  ///
  /// Those of one wallet are in a row: those that count, then those that counted when it was
  /// removed, then replaced ones. Each of these groups has the newest first.
  package private(set) var rows: [VersionRow] = []
  /// The result of reading the versions that count.
  package let report: WalletReport
  /// The versions that no longer count and could not be read.
  package let lost: [FileFinding]

  /// Reads all versions.
  ///
  /// - Parameter opened: the backup.
  package init(in opened: inout OpenNamespace) {
    var present: [(version: WalletVersion, spending: WalletSpending, secret: Int?)] = []
    var rows: [VersionRow] = []
    var secrets = SecretNumbers()
    report = opened.forEachWallet { version, entry in
      let secret = secrets.number(of: version.entry, in: entry)
      present.append((version, version.entry.spending(in: entry), secret))
    }
    lost = opened.forEachPastVersion { past, entry in
      let secret = secrets.number(of: past.entry, in: entry)
      rows.append(VersionRow(past, past.entry.spending(in: entry), secret: secret))
    }
    for (version, spending, secret) in present {
      rows.append(VersionRow(version, opened.origin(of: version), spending, secret: secret))
    }
    // The clocks of computers may be wrong. So the state comes before the time.
    self.rows = rows.sorted { one, other in
      if one.wallet.recordID != other.wallet.recordID {
        return one.wallet.recordID < other.wallet.recordID
      }
      if one.place != other.place { return one.place < other.place }
      return (one.origin?.at ?? .max, one.id) > (other.origin?.at ?? .max, other.id)
    }
    VersionRow.tellApart(&self.rows)
  }

  /// The wallets that a selector may mean, with all their versions; nil means all wallets.
  ///
  /// They are ordered by name.
  ///
  /// - Throws: as ``WalletSelector/only(_:_:_:_:_:besides:)`` where there is none.
  package func wallets(
    _ selector: String?, _ health: LogHealth, _ logFindings: [FileFinding]
  ) throws(UserMessage) -> [Wallet] {
    var records: Set<RecordID>?
    if let selector {
      let meant = WalletSelector.meant(matching(selector), selector)
      if meant.isEmpty { _ = try only(selector, [], health, logFindings) }
      records = Set(meant.map(\.recordID))
    }
    let wanted = rows.filter { records?.contains($0.wallet.recordID) ?? true }
    let wallets = Dictionary(grouping: wanted, by: \.wallet.recordID).values.map(Wallet.init).sorted
    {
      ($0.newest.name ?? "", $0.newest.id) < ($1.newest.name ?? "", $1.newest.id)
    }
    var shown = wallets.flatMap(\.versions)
    VersionRow.numberSecrets(&shown)
    var left = shown[...]
    return wallets.map { wallet in
      defer { left = left.dropFirst(wallet.versions.count) }
      return Wallet(versions: Array(left.prefix(wallet.versions.count)))
    }
  }

  /// The one version that is meant.
  ///
  /// The version also tells wallets of one name apart. Versions of one wallet may have different
  /// names.
  ///
  /// - Throws: `no-input` for none, `ambiguous` for several.
  package func only(
    _ selector: String, version: String, _ health: LogHealth, _ logFindings: [FileFinding]
  ) throws(UserMessage) -> VersionRow {
    let meant = Set(matching(selector).map(\.recordID))
    let records = Set(
      rows.filter { meant.contains($0.wallet.recordID) && $0.version.matches(version) }
        .map(\.wallet.recordID))
    let candidates = matching(selector).filter {
      records.isEmpty || records.contains($0.recordID)
    }
    let wallet = try only(selector, candidates, health, logFindings)
    let versions = rows.filter { $0.wallet.recordID == wallet.recordID }
    let id = try VersionSelector.only(versions.map(\.version), version)
    guard let row = versions.first(where: { $0.version == id }) else {
      throw UserMessage(.noSuchVersion(wallet.recordID))
    }
    return row
  }

  private func matching(_ selector: String) -> [WalletRow] {
    rows.map(\.wallet).filter { WalletSelector.matches(selector, $0) }
  }

  private func only(
    _ selector: String, _ candidates: [WalletRow], _ health: LogHealth,
    _ logFindings: [FileFinding]
  ) throws(UserMessage) -> WalletRow {
    var similar = SimilarWallets(to: selector)
    for row in rows { similar.note(row.wallet.name) }
    return try WalletSelector.only(
      candidates, selector, report, health, logFindings, besides: similar)
  }

  /// One wallet with all its versions.
  package struct Wallet: Sendable {
    /// In the order of ``WalletHistory/rows``; never empty.
    package let versions: [VersionRow]

    /// The first version that counts, or the newest one.
    package var newest: WalletRow { versions[0].wallet }

    /// The word for the wallet's state.
    package var state: String {
      if versions[0].isPast { return PastVersion.Ending.removed.rawValue }
      return versions.count { !$0.isPast } > 1 ? WalletState.conflict.rawValue : newest.state
    }

    package var json: JSONOutput {
      [
        "id": .string(newest.id), "record_id": .string(newest.recordID.hex),
        "name": .optional(newest.name), "state": .string(state),
        "versions": .array(versions.map(\.json)),
      ]
    }
  }
}

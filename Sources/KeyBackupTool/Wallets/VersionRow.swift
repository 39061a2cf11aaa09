internal import BackupFolder
internal import CSPP
internal import WalletFormats

/// The displayed properties of one version of a wallet.
struct VersionRow: Sendable {
  let version: VersionID
  /// Whether it no longer counts, and comes from the log.
  let isPast: Bool
  var wallet: WalletRow
  let origin: VersionOrigin?
  /// The file that holds it, if no log here has it.
  let file: String?

  init(_ version: WalletVersion, _ origin: VersionOrigin?, _ spending: WalletSpending?) {
    self.version = version.id
    isPast = false
    wallet = WalletRow(version)
    wallet.spending = spending
    self.origin = origin
    if case .view(let file) = version.source { self.file = file } else { file = nil }
  }

  init(_ past: PastVersion, _ spending: WalletSpending) {
    version = past.id
    isPast = true
    wallet = WalletRow(past)
    wallet.spending = spending
    origin = past.origin
    file = nil
  }

  /// The digits of the version that are shown.
  var id: String { version.description }

  /// The row as JSON.
  var json: JSONOutput {
    [
      "version": .string(id), "name": .optional(wallet.name),
      "network": .optional(wallet.network), "kind": .string(wallet.kindName),
      "spending": .optional(wallet.spending?.rawValue),
      "fingerprint": .optional(wallet.fingerprint),
      "updated_at": .optional(wallet.updatedAt.flatMap { Int(exactly: $0) }),
      "state": .string(wallet.state),
      "writer_id": .optional(origin?.writer.hex), "writer": .optional(origin?.label),
      "written_at": .optional(origin.flatMap { Int(exactly: $0.at) }),
      "file": .optional(file),
    ]
  }

  /// The rows as a table, safe to print.
  static func table(_ rows: [VersionRow]) -> Table {
    let ids = ShortID.shown(rows.map { PrintableText.name($0.wallet.id) })
    return Table(
      columns: [
        Table.Column("WALLET"), Table.Column("VERSION"), Table.Column("NAME", least: 12),
        Table.Column("WRITTEN BY", least: 16), Table.Column("WRITTEN", rank: 5),
        Table.Column("STATE", rank: 4), Table.Column("UPDATED", rank: 3),
        Table.Column("KIND", rank: 2), Table.Column("FINGERPRINT", rank: 1),
      ],
      rows: zip(ids, rows).map { id, row in
        [
          id, row.id, PrintableText.name(row.wallet.name ?? "-", limit: 40), row.writtenBy,
          PrintableTime.minute(row.origin?.at), row.wallet.state,
          PrintableTime.minute(row.wallet.updatedAt), row.wallet.kindWord,
          PrintableText.name(row.wallet.fingerprint ?? "-", limit: 12),
        ]
      })
  }

  /// The computer that logged it first.
  var writtenBy: String {
    guard let origin else { return "another program" }
    // Several computers may have the same name.
    let label = PrintableText.name(origin.label, limit: 24)
    return label.isEmpty ? origin.writer.shortName : "\(label) \(origin.writer.shortName)"
  }
}

package import BackupFolder
internal import CSPP
package import CommandKit
package import WalletFormats

/// The displayed properties of one version of a wallet.
package struct VersionRow: Sendable {
  package let version: VersionID
  /// The digits of the version that are shown.
  package private(set) var id: String
  /// Whether it no longer counts, and comes from the log.
  let isPast: Bool
  package var wallet: WalletRow
  package let origin: VersionOrigin?
  /// The computer that removed the wallet; nil if the version counts or was replaced.
  package let removal: VersionOrigin?
  /// The file that holds it, if no log here has it.
  package let file: String?
  /// The number of its secret in the table; nil if it was not compared or has none.
  package private(set) var secret: Int?

  package init(
    _ version: WalletVersion, _ origin: VersionOrigin?, _ spending: WalletSpending?,
    secret: Int? = nil
  ) {
    self.version = version.id
    id = version.id.description
    self.secret = secret
    isPast = false
    wallet = WalletRow(version)
    wallet.spending = spending
    self.origin = origin
    removal = nil
    if case .view(let file) = version.source { self.file = file } else { file = nil }
  }

  package init(_ past: PastVersion, _ spending: WalletSpending, secret: Int?) {
    version = past.id
    id = past.id.description
    self.secret = secret
    isPast = true
    wallet = WalletRow(past)
    wallet.spending = spending
    origin = past.origin
    removal = past.removal
    file = nil
  }

  /// The place of its state in a wallet's history.
  package var place: Int { Self.order.firstIndex(of: wallet.state) ?? Self.order.count }

  private static let order =
    [
      WalletState.current, .missing, .conflict, .foreign, .late, .heldBack, .incomplete,
      .rolledBack,
    ]
    .map(\.rawValue) + [PastVersion.Ending.removed, .replaced].map(\.rawValue)

  /// Shows as many digits of each version as tell it from the others of its wallet.
  static func tellApart(_ rows: inout [VersionRow]) {
    let places = Dictionary(grouping: rows.indices) { rows[$0].wallet.recordID }
    for places in places.values {
      let ids = VersionSelector.shown(places.map { rows[$0].version })
      for (place, id) in zip(places, ids) { rows[place].id = id }
    }
  }

  /// Numbers the secrets in the order of the rows that are shown.
  static func numberSecrets(_ rows: inout [VersionRow]) {
    var numbers: [Int: Int] = [:]
    for place in rows.indices {
      guard let secret = rows[place].secret else { continue }
      let number = numbers[secret] ?? numbers.count + 1
      numbers[secret] = number
      rows[place].secret = number
    }
  }

  /// The row as JSON.
  package var json: JSONOutput {
    var json: JSONOutput = [
      "version": .string(id), "name": .optional(wallet.name),
      "network": .optional(wallet.network), "kind": .string(wallet.kindName),
      "spending": .optional(wallet.spending?.rawValue),
      "fingerprint": .optional(wallet.fingerprint), "secret_number": .optional(secret),
      "updated_at": .optional(wallet.updatedAt.flatMap { Int(exactly: $0) }),
      "state": .string(wallet.state),
      "writer_id": .optional(origin?.writer.hex), "writer": .optional(origin?.label),
      "written_at": .optional(origin.flatMap { Int(exactly: $0.at) }),
      "found": .bool(origin?.isFound ?? false),
      "file": .optional(file),
    ]
    // Only versions of a removed wallet have these.
    if let removal {
      json["removed_at"] = .optional(Int(exactly: removal.at))
      json["removed_by_id"] = .string(removal.writer.hex)
      json["removed_by"] = .string(removal.label)
    }
    return json
  }

  /// The rows as a table, safe to print.
  package static func table(_ rows: [VersionRow]) -> Table {
    let ids = ShortID.shown(rows.map { PrintableText.name($0.wallet.id) })
    return Table(
      columns: [
        Table.Column("WALLET"), Table.Column("VERSION"), Table.Column("NAME", least: 10),
        Table.Column("STATE"), Table.Column("SECRET", rank: 6),
        Table.Column("FINGERPRINT", rank: 5), Table.Column("WRITTEN", rank: 4),
        Table.Column("WRITTEN BY", least: 16, rank: 3), Table.Column("UPDATED", rank: 2),
        Table.Column("KIND", rank: 1),
      ],
      rows: zip(ids, rows).map { id, row in
        [
          id, row.id, PrintableText.name(row.wallet.name ?? "-", limit: 40), row.wallet.state,
          row.secret.map(String.init) ?? "-",
          PrintableText.name(row.wallet.fingerprint ?? "-", limit: 12),
          PrintableTime.minute(row.origin?.at), row.writtenBy,
          PrintableTime.minute(row.wallet.updatedAt), row.wallet.kindWord,
        ]
      })
  }

  /// The computer that logged it first.
  var writtenBy: String {
    guard let origin else { return "another program" }
    let computer = Self.computer(origin)
    return origin.isFound ? "found by \(computer)" : computer
  }

  /// The computer that removed the wallet, and when; nil if the version counts or was replaced.
  var removedBy: String? {
    removal.map { "\(Self.computer($0)), \(PrintableTime.minute($0.at))" }
  }

  private static func computer(_ origin: VersionOrigin) -> String {
    // Several computers may have the same name.
    let label = PrintableText.name(origin.label, limit: 24)
    return label.isEmpty ? origin.writer.shortName : "\(label) \(origin.writer.shortName)"
  }
}

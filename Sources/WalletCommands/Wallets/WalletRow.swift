package import BackupFolder
package import CSPP
package import CommandKit
internal import FoundationEssentials
package import SecretMemory
package import WalletFormats

/// The properties of one wallet in a list; none must be hidden from the user who just opened the
/// backup.
package struct WalletRow: Sendable {
  package let id: String
  package let recordID: RecordID
  package let name: String?
  package let network: String?
  package let kind: WalletEntry.SecretKind
  /// The spending ability; nil if it was not determined.
  package var spending: WalletSpending?
  package var fingerprint: String?
  /// The fingerprint computed from the keys, and whether it matches the stated one.
  var computed: (fingerprint: Fingerprint, matches: Bool)?
  let updatedAt: UInt64?
  /// The word for its state.
  package let state: String
  /// Whether it came from the log because its own file is damaged.
  package let isFileDamaged: Bool

  package init(_ version: WalletVersion) {
    self.init(
      version.entry, version.recordID, state: version.state.rawValue,
      isFileDamaged: version.isFileDamaged)
  }

  /// Creates the row of a version that no longer counts.
  package init(_ past: PastVersion) {
    self.init(past.entry, past.recordID, state: past.ending.rawValue, isFileDamaged: false)
  }

  private init(_ entry: WalletEntry, _ record: RecordID, state: String, isFileDamaged: Bool) {
    id = entry.walletID
    recordID = record
    name = entry.name
    network = entry.network
    kind = entry.secretKind
    fingerprint = entry.fingerprint
    updatedAt = entry.updatedAt
    self.state = state
    self.isFileDamaged = isFileDamaged
  }

  /// Creates a row that includes the spending ability.
  package init(_ version: WalletVersion, in entry: borrowing SecretBytes) {
    self.init(version)
    spending = version.entry.spending(in: entry)
  }

  /// The most fingerprints that a list computes: each one of a mnemonic takes 2048 rounds of a
  /// hash.
  static let mostComputed = 100

  /// Adds a fingerprint that the metadata do not state, if the keys give it.
  mutating func computeFingerprint(_ entry: WalletEntry, in plaintext: borrowing SecretBytes) {
    let none = SecretBytes(zeroed: 0)
    fingerprint = (try? entry.computedFingerprint(in: plaintext, passphrase: none))?.description
  }

  /// The kind for people: a wallet that cannot spend is watch-only, whatever its form.
  package var kindWord: String {
    switch spending {
    case .watchOnly: "watch-only"
    case .partly: kindName + " (partly)"
    case .full, .unknown, nil: kindName
    }
  }

  /// The word for the kind of secret.
  var kindName: String {
    switch kind {
    case .mnemonic: "mnemonic"
    case .xprv: "xprv"
    case .tapSignerBackup: "tapsigner"
    case .descriptor: "descriptor"
    case .watchOnly: "watch-only"
    }
  }

  /// The row as JSON according to the contract.
  package var json: JSONOutput {
    var json: JSONOutput = [
      "id": .string(id), "record_id": .string(recordID.hex), "name": .optional(name),
      "network": .optional(network), "kind": .string(kindName),
      "spending": .optional(spending?.rawValue),
      "watch_only": .optional(spending.map { $0 == .watchOnly }),
      "fingerprint": .optional(fingerprint),
      "updated_at": .optional(updatedAt.flatMap { Int(exactly: $0) }),
      "state": .string(state),
    ]
    if isFileDamaged { json["file_damaged"] = true }
    if let computed {
      json["computed_fingerprint"] = .string(computed.fingerprint.description)
      json["fingerprint_matches"] = .bool(computed.matches)
    }
    return json
  }

  /// The fields to show, with a name for each, safe to print.
  package var fields: [(name: String, text: String)] {
    [
      ("NAME", PrintableText.name(name ?? "-", limit: 200)),
      ("NETWORK", PrintableText.name(network ?? "-", limit: 12)), ("KIND", kindWord),
      ("FINGERPRINT", PrintableText.name(fingerprint ?? "-", limit: 12)), ("UPDATED", day),
      ("STATE", stateWord), ("ID", PrintableText.name(id, limit: 64)),
    ]
  }

  /// The rows as a table, safe to print; IDs are as long as tells them apart.
  package static func table(_ rows: [WalletRow]) -> Table {
    let ids = ShortID.shown(rows.map { PrintableText.name($0.id) })
    return Table(
      columns: [
        Table.Column("NAME", least: 20), Table.Column("NETWORK", rank: 3), Table.Column("KIND"),
        Table.Column("FINGERPRINT", rank: 2), Table.Column("UPDATED", rank: 1),
        Table.Column("STATE", rank: 4), Table.Column("ID"),
      ],
      rows: zip(ids, rows).map { id, row in
        var cells = row.fields.map(\.text)
        cells[0] = PrintableText.name(row.name ?? "-", limit: 40)
        cells[6] = id
        return cells
      })
  }

  private var stateWord: String { isFileDamaged ? "damaged file, from log" : state }

  private var day: String {
    guard let updatedAt, updatedAt < 1 << 40 else { return "-" }
    return Date(timeIntervalSince1970: Double(updatedAt))
      .formatted(Date.ISO8601FormatStyle().year().month().day())
  }
}

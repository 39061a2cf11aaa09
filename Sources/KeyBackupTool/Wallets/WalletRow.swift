internal import BackupFolder
internal import CSPP
internal import FoundationEssentials
internal import SecretMemory
internal import WalletFormats

/// What a list shows of one wallet; nothing in it is secret enough to hide
/// from the person who just opened the backup.
struct WalletRow: Sendable {
  let id: String
  let recordID: RecordID
  let name: String?
  let network: String?
  let kind: WalletEntry.SecretKind
  /// Whether the backup can spend; nil: nobody looked.
  var spending: WalletSpending?
  var fingerprint: String?
  /// What the keys have beside the fingerprint that is stated, and whether they
  /// are the same.
  var computed: (fingerprint: Fingerprint, matches: Bool)?
  let updatedAt: UInt64?
  let state: WalletState
  /// Whether the log gave it because its own file is damaged.
  let isFileDamaged: Bool

  init(_ version: WalletVersion) {
    id = version.entry.walletID
    recordID = version.recordID
    name = version.entry.name
    network = version.entry.network
    kind = version.entry.secretKind
    fingerprint = version.entry.fingerprint
    updatedAt = version.entry.updatedAt
    state = version.state
    isFileDamaged = version.isFileDamaged
  }

  /// What a list shows, and whether the entry can spend.
  init(_ version: WalletVersion, in entry: borrowing SecretBytes) {
    self.init(version)
    spending = version.entry.spending(in: entry)
  }

  /// Fingerprints that a list computes at most: each of a mnemonic costs 2048
  /// rounds of a hash.
  static let mostComputed = 100

  /// Fills in a fingerprint that the metadata do not state, if the keys tell it.
  mutating func computeFingerprint(_ entry: WalletEntry, in plaintext: borrowing SecretBytes) {
    let none = SecretBytes(zeroed: 0)
    fingerprint = (try? entry.computedFingerprint(in: plaintext, passphrase: none))?.description
  }

  /// The kind for people: what cannot spend is watch-only, whatever its form.
  var kindWord: String {
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

  /// The row as the contract's JSON.
  var json: JSONOutput {
    var json: JSONOutput = [
      "id": .string(id), "record_id": .string(recordID.hex), "name": .optional(name),
      "network": .optional(network), "kind": .string(kindName),
      "spending": .optional(spending?.rawValue),
      "watch_only": .optional(spending.map { $0 == .watchOnly }),
      "fingerprint": .optional(fingerprint),
      "updated_at": .optional(updatedAt.flatMap { Int(exactly: $0) }),
      "state": .string(state.rawValue),
    ]
    if isFileDamaged { json["file_damaged"] = true }
    if let computed {
      json["computed_fingerprint"] = .string(computed.fingerprint.description)
      json["fingerprint_matches"] = .bool(computed.matches)
    }
    return json
  }

  /// What is shown of it, with a name for each, safe to print.
  var fields: [(name: String, text: String)] {
    [
      ("NAME", PrintableText.clean(name ?? "-", limit: 200)),
      ("NETWORK", PrintableText.clean(network ?? "-", limit: 12)), ("KIND", kindWord),
      ("FINGERPRINT", PrintableText.clean(fingerprint ?? "-", limit: 12)), ("UPDATED", day),
      ("STATE", stateWord), ("ID", PrintableText.clean(id, limit: 64)),
    ]
  }

  /// The rows as a table, safe to print; IDs are as long as tells them apart.
  static func table(_ rows: [WalletRow]) -> Table {
    let ids = ShortID.shown(rows.map { PrintableText.clean($0.id) })
    return Table(
      columns: [
        Table.Column("NAME", least: 20), Table.Column("NETWORK", rank: 3), Table.Column("KIND"),
        Table.Column("FINGERPRINT", rank: 2), Table.Column("UPDATED", rank: 1),
        Table.Column("STATE", rank: 4), Table.Column("ID"),
      ],
      rows: zip(ids, rows).map { id, row in
        var cells = row.fields.map(\.text)
        cells[0] = PrintableText.clean(row.name ?? "-", limit: 40)
        cells[6] = id
        return cells
      })
  }

  private var stateWord: String { isFileDamaged ? "damaged file, from log" : state.rawValue }

  private var day: String {
    guard let updatedAt, updatedAt < 1 << 40 else { return "-" }
    return Date(timeIntervalSince1970: Double(updatedAt))
      .formatted(Date.ISO8601FormatStyle().year().month().day())
  }
}

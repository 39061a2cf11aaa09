internal import BackupFolder
internal import CSPP
internal import WalletFormats

/// The displayed properties of one version of a wallet.
struct VersionRow: Sendable {
  let id: String
  var wallet: WalletRow
  let origin: VersionOrigin?
  /// The file that holds it, if no log here has it.
  let file: String?

  init(_ version: WalletVersion, _ origin: VersionOrigin?, _ spending: WalletSpending?) {
    id = version.id.description
    wallet = WalletRow(version)
    wallet.spending = spending
    self.origin = origin
    if case .view(let file) = version.source { self.file = file } else { file = nil }
  }

  /// The row as JSON.
  var json: JSONOutput {
    [
      "version": .string(id), "name": .optional(wallet.name),
      "network": .optional(wallet.network), "kind": .string(wallet.kindName),
      "spending": .optional(wallet.spending?.rawValue),
      "fingerprint": .optional(wallet.fingerprint),
      "updated_at": .optional(wallet.updatedAt.flatMap { Int(exactly: $0) }),
      "state": .string(wallet.state.rawValue),
      "writer_id": .optional(origin?.writer.hex), "writer": .optional(origin?.label),
      "written_at": .optional(origin.flatMap { Int(exactly: $0.at) }),
      "file": .optional(file),
    ]
  }

  /// The row's cells, safe to print.
  var cells: [String] {
    [
      id, PrintableText.clean(wallet.name ?? "-", limit: 40), wallet.kindWord,
      PrintableText.clean(wallet.fingerprint ?? "-", limit: 12),
      PrintableTime.minute(wallet.updatedAt), wallet.state.rawValue,
      writtenBy, PrintableTime.minute(origin?.at),
      PrintableText.clean(wallet.id, limit: 64),
    ]
  }

  /// The computer that logged it first.
  var writtenBy: String {
    guard let origin else { return "another program" }
    // Several computers may have the same name.
    let label = PrintableText.clean(origin.label, limit: 24)
    return label.isEmpty ? origin.writer.shortName : "\(label) \(origin.writer.shortName)"
  }

  /// The headings of ``cells``.
  static let headings = [
    "VERSION", "NAME", "KIND", "FINGERPRINT", "UPDATED", "STATE", "WRITTEN BY", "WRITTEN", "WALLET",
  ]
}

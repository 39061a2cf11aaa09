package import BackupFolder
internal import CSPP
package import CommandKit
internal import SecretMemory
internal import WalletFormats

/// The wallets whose secret an import replaces by another one, or by none.
package struct ReplacedSecrets {
  /// One of them, as it was.
  private struct Wallet {
    let record: RecordID
    let version: VersionID
    let name: String
  }

  private var wallets: [Wallet]

  /// None.
  package init() { wallets = [] }

  /// Compares the wallets of a backup with what is about to be imported.
  ///
  /// Secrets are compared only of wallets that both have: each takes guarded memory.
  ///
  /// - Parameters:
  ///   - batch: what is imported.
  ///   - opened: the backup before the import.
  package init(by batch: borrowing WalletBatch, in opened: inout OpenNamespace) {
    let places = Dictionary(uniqueKeysWithValues: zip(batch.records, 0...))
    var found: [Wallet] = []
    _ = opened.forEachWallet { version, entry in
      guard let place = places[version.recordID],
        let held = version.entry.spendingSecret(in: entry),
        held != batch.withEntry(place, Self.secret)
      else { return }
      let name = version.entry.name ?? version.entry.walletID
      found.append(Wallet(record: version.recordID, version: version.id, name: name))
    }
    wallets = found
  }

  /// The secret with which an entry can be spent.
  private static func secret(of bytes: RawSpan) -> Digest? {
    let entry = SecretBytes(copying: bytes)
    return (try? WalletEntry(parsing: entry))?.spendingSecret(in: entry)
  }

  /// Leaves out what counts all the same after the import: nothing took its place.
  mutating func leaveOutPresent(in opened: inout OpenNamespace) {
    if wallets.isEmpty { return }
    var present: Set<VersionID> = []
    _ = opened.forEachWallet { version, _ in present.insert(version.id) }
    wallets.removeAll { present.contains($0.version) }
  }

  /// The records, as JSON.
  package var json: JSONOutput {
    .array(Set(wallets.map(\.record)).sorted().map { .string($0.hex) })
  }

  /// A line for each; the first few of many.
  fileprivate var lines: [String] {
    let records = ShortID.shown(wallets.map(\.record.hex))
    return zip(records, wallets).prefix(5).map { record, wallet in
      "keybackup: \"\(PrintableText.name(wallet.name, limit: 40))\" had another secret. To bring "
        + "that back: keybackup wallet keep \(record) \(wallet.version)"
    }
  }
}

extension Output {
  /// Tells that an import replaced secrets, and how each comes back.
  package func warn(_ replaced: ReplacedSecrets) { for line in replaced.lines { warn(line) } }
}

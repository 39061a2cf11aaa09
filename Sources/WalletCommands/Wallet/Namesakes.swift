package import BackupFolder
package import CSPP
package import CommandKit

/// Wallets that have the same name as one that was just added: then only their
/// IDs tell them apart.
package struct Namesakes {
  /// One of them.
  package struct Wallet: Equatable {
    package let id: String
    package let name: String
  }

  package private(set) var found: [Wallet] = []

  /// Looks through a backup that holds the new wallets by now.
  ///
  /// - Parameters:
  ///   - added: the new ones' records; none: nothing is looked through.
  ///   - opened: the backup.
  package init(of added: Set<RecordID>, in opened: inout OpenNamespace) {
    if added.isEmpty { return }
    var holders: [String: [(record: RecordID, id: String)]] = [:]
    _ = opened.forEachWallet { version, _ in
      guard version.ordinal == 0, let name = version.entry.name else { return }
      holders[name, default: []].append((version.recordID, version.entry.walletID))
    }
    for (name, wallets) in holders.sorted(by: { $0.key < $1.key }) where wallets.count > 1 {
      // Of several new ones of one name, one is what the others are told of.
      guard let new = wallets.first(where: { added.contains($0.record) }) else { continue }
      found += wallets.filter { $0.record != new.record }.map { Wallet(id: $0.id, name: name) }
    }
  }

  /// Their IDs.
  package var json: JSONOutput { .array(found.map { .string($0.id) }) }
}

extension Output {
  /// Tells that another wallet has the name of one that was added, and what to do.
  package func warn(_ namesakes: Namesakes) {
    for wallet in namesakes.found.prefix(5) {
      warn(
        "keybackup: another wallet has this name: "
          + "\"\(PrintableText.name(wallet.name, limit: 40))\"; its ID is "
          + ShortID.shown([PrintableText.name(wallet.id)])[0])
    }
    if namesakes.found.isEmpty { return }
    warn(
      "hint: name such wallets by their IDs. To rename one: keybackup wallet show ID --out FILE")
    warn("hint: then change the name in FILE, and run: keybackup wallet import FILE")
  }
}

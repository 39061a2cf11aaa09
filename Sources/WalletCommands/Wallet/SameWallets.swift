package import BackupFolder
internal import CSPP
package import CommandKit
package import SecretMemory
internal import WalletFormats

/// The wallets of a backup that a new one is the same as.
package struct SameWallets {
  /// One of them.
  package struct Wallet {
    package let id: String
    package let name: String
    /// Whether it has the same secret; else only the same master key.
    let hasSameSecret: Bool
  }

  package private(set) var found: [Wallet] = []

  /// None.
  package init() {}

  /// Compares a new entry with every other wallet of the backup.
  ///
  /// Those are the same that have one secret, or one master fingerprint and
  /// network. One mnemonic with two passphrases is two wallets.
  package init(as new: borrowing SecretBytes, in opened: inout OpenNamespace) {
    guard let entry = try? WalletEntry(parsing: new) else { return }
    let secret = entry.spendingSecret(in: new)
    let fingerprint = entry.statedFingerprint
    _ = opened.forEachWallet { version, bytes in
      let other = version.entry
      guard version.ordinal == 0, version.recordID != entry.recordID,
        other.network == entry.network
      else { return }
      let isSameMaster = fingerprint != nil && fingerprint == other.statedFingerprint
      let isOtherMaster =
        fingerprint != nil && other.statedFingerprint != nil && !isSameMaster
      let hasSameSecret = secret != nil && secret == other.spendingSecret(in: bytes)
      guard isSameMaster || (hasSameSecret && !isOtherMaster) else { return }
      found.append(
        Wallet(
          id: other.walletID, name: other.name ?? other.walletID, hasSameSecret: hasSameSecret))
    }
  }
}

extension Output {
  /// Tells that a wallet which was added is in the backup already.
  package func warn(_ same: SameWallets) {
    let ids = ShortID.shown(same.found.map { PrintableText.name($0.id) })
    for (wallet, id) in zip(same.found, ids).prefix(5) {
      let title = "\"\(PrintableText.name(wallet.name, limit: 40))\""
      warn(
        "keybackup: \(title) in the backup has the same "
          + (wallet.hasSameSecret ? "secret" : "master fingerprint")
          + "; its ID is \(id)")
    }
    if same.found.contains(where: \.hasSameSecret) {
      warn("hint: one of them is enough; to remove the other: keybackup wallet remove ID")
    }
  }

  /// Tells that words of BIP-39 may have been made by Electrum, and then be another wallet.
  package func noteElectrumToo() {
    note(
      "These words are an Electrum seed, too. If Electrum made them, only Electrum restores that "
        + "wallet: as BIP-39 words they are another one. Compare the addresses.")
  }

  /// Tells that a secret that was read is still in its file.
  ///
  /// - Parameter path: the file; `-` and nil: there is none.
  package func note(secretStaysIn path: String?) {
    guard let path, path != "-", FileCheck.isFile(path) else { return }
    let file = run.typed.naming(path, else: "The file that you named")
    note(
      required: "\(file) still holds the secret, unencrypted. Delete the file when you no longer "
        + "need it.")
  }
}

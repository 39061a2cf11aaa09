/// A file of another program that is worth backing up, as that program's documentation has it.
package struct CatalogueEntry: Sendable {
  /// Whether a copy is enough to restore from.
  package enum Restores: String, Sendable {
    /// The copy alone is enough, with its password if it has one.
    case alone
    /// Something else is needed, too.
    case withMore = "with-more"
    /// Restoring an old copy does damage.
    case never
  }

  /// Whether the file may be copied while its program runs.
  package enum Live: String, Sendable {
    /// It may.
    case safe
    /// The program has to be closed, or to write the copy itself.
    case closed
    /// It is not to be copied at all.
    case never
  }

  /// The program.
  package var program: String
  /// Where it lies in the home, each part with at most one `*`.
  package var place: String
  /// The contents, and their worth.
  package var holds: String
  /// Whether a copy is enough.
  package var restores: Restores
  /// Whether it may be copied at any time.
  package var live: Live
  /// How to copy it, or what else is needed.
  package var advice: String
  /// The page that says so.
  package var source: String

  private static let bitcoinCore =
    "https://github.com/bitcoin/bitcoin/blob/master/doc/managing-wallets.md"
  private static let lnd = "https://github.com/lightningnetwork/lnd/blob/master/docs/safety.md"
  private static let coreLightning =
    "https://github.com/ElementsProject/lightning/blob/master/doc/beginners-guide/backup.md"
  private static let specter =
    "https://github.com/cryptoadvance/specter-desktop/blob/master/docs/faq.md"
  private static let gnuPG =
    "https://gnupg.org/documentation/manuals/gnupg/GPG-Configuration.html"

  /// Everything that is known.
  package static let all = [
    CatalogueEntry(
      program: "Bitcoin Core", place: ".bitcoin/wallets/*/wallet.dat",
      holds: "private keys, labels and transactions of a wallet", restores: .alone, live: .closed,
      advice: "let Bitcoin Core write the copy: bitcoin-cli -rpcwallet=NAME backupwallet FILE",
      source: bitcoinCore),
    CatalogueEntry(
      program: "Bitcoin Core", place: ".bitcoin/wallet.dat",
      holds: "private keys, labels and transactions of an old wallet", restores: .alone,
      live: .closed, advice: "let Bitcoin Core write the copy: bitcoin-cli backupwallet FILE",
      source: bitcoinCore),
    CatalogueEntry(
      program: "Electrum", place: ".electrum/wallets/*",
      holds: "the seed or keys of a wallet, labels, contacts", restores: .alone, live: .safe,
      advice: "if it has Lightning channels, use File > Save backup, and watch that file",
      source: "https://electrum.readthedocs.io/en/latest/faq.html"),
    CatalogueEntry(
      program: "Sparrow", place: ".sparrow/wallets/*.mv.db",
      holds: "the keys or public keys of a wallet, labels", restores: .alone, live: .closed,
      advice: "close Sparrow first; its password is needed to open the copy",
      source:
        "https://github.com/BlockchainCommons/SmartCustody/blob/master/Docs/Case-Study-Sparrow.md"),
    CatalogueEntry(
      program: "Specter", place: ".specter/wallets/*/*.json",
      holds: "the descriptor of a wallet: without it a multisig wallet can be lost",
      restores: .withMore, live: .safe, advice: "back up the devices, too; the keys lie elsewhere",
      source: specter),
    CatalogueEntry(
      program: "Specter", place: ".specter/devices/*.json",
      holds: "the public keys of a signing device", restores: .withMore, live: .safe,
      advice: "back up the wallets, too", source: specter),
    CatalogueEntry(
      program: "LND", place: ".lnd/data/chain/bitcoin/*/channel.backup",
      holds: "what gets the money in channels back after a loss", restores: .withMore, live: .safe,
      advice: "watch it: it changes with every channel; the 24 words are needed, too", source: lnd),
    CatalogueEntry(
      program: "LND", place: ".lnd/data/graph/*/channel.db", holds: "the state of every channel",
      restores: .never, live: .never,
      advice: "an old copy gives the money in the channels to the other side", source: lnd),
    CatalogueEntry(
      program: "Core Lightning", place: ".lightning/*/emergency.recover",
      holds: "what gets the money in channels back after a loss", restores: .withMore, live: .safe,
      advice: "watch it: it changes with every new channel; hsm_secret is needed, too",
      source: coreLightning),
    CatalogueEntry(
      program: "Core Lightning", place: ".lightning/*/hsm_secret",
      holds: "the key of all money of the node", restores: .alone, live: .safe,
      advice: "it never changes; money in channels needs emergency.recover, too",
      source: coreLightning),
    CatalogueEntry(
      program: "Core Lightning", place: ".lightning/*/lightningd.sqlite3",
      holds: "the state of every channel", restores: .never, live: .never,
      advice:
        "an old copy can lose the money in the channels; lightningd --wallet writes a replica",
      source: coreLightning),
    CatalogueEntry(
      program: "Wasabi", place: ".walletwasabi/client/Wallets/*.json",
      holds: "the encrypted key of a wallet, labels", restores: .alone, live: .safe,
      advice: "its passphrase is needed to open the copy",
      source: "https://docs.wasabiwallet.io/FAQ/FAQ-UseWasabi.html"),
    CatalogueEntry(
      program: "GnuPG", place: ".gnupg/private-keys-v1.d/*.key", holds: "a private key",
      restores: .withMore, live: .safe,
      advice: "its public key is needed, too, so this is better: gpg --export-secret-keys",
      source: gnuPG),
    CatalogueEntry(
      program: "GnuPG", place: ".gnupg/openpgp-revocs.d/*.rev",
      holds: "a certificate that revokes a key", restores: .alone, live: .safe,
      advice: "it never changes", source: gnuPG),
    CatalogueEntry(
      program: "SSH", place: ".ssh/id_*", holds: "a private key", restores: .alone, live: .safe,
      advice: "it never changes; its passphrase is needed if it has one",
      source: "https://man.openbsd.org/ssh-keygen"),
    CatalogueEntry(
      program: "pass", place: ".password-store", holds: "encrypted passwords, a file for each",
      restores: .withMore, live: .safe,
      advice:
        "pipe it: tar -c -C ~ .password-store | keybackup file add - --name password-store.tar",
      source: "https://www.passwordstore.org/"),
    CatalogueEntry(
      program: "KeePassXC", place: "*.kdbx", holds: "encrypted passwords", restores: .alone,
      live: .safe, advice: "a key file is needed, too, where the database has one",
      source:
        "https://github.com/keepassxreboot/keepassxc/blob/develop/docs/topics/DatabaseOperations.adoc"
    ),
    CatalogueEntry(
      program: "KeePassXC", place: "Documents/*.kdbx", holds: "encrypted passwords",
      restores: .alone, live: .safe,
      advice: "a key file is needed, too, where the database has one",
      source:
        "https://github.com/keepassxreboot/keepassxc/blob/develop/docs/topics/DatabaseOperations.adoc"
    ),
    CatalogueEntry(
      program: "Aegis", place: "Downloads/aegis-*.json",
      holds: "secrets of one-time codes, exported from the phone", restores: .alone, live: .safe,
      advice: "the password of the export is needed, if it has one",
      source: "https://github.com/beemdevelopment/Aegis/blob/master/FAQ.md"),
  ]
}

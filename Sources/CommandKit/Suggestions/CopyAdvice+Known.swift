extension CopyAdvice {
  /// Files that are known by their names, and the advice about each.
  ///
  /// A name stands for its journals and copies, too.
  static let byName: [(names: [String], advice: CopyAdvice)] = [
    (["channel.db", "channel.sqlite"], .lndChannels),
    (["lightningd.sqlite3"], .coreLightningChannels),
    (["ldk_node_data.sqlite", "ldk_data.sqlite"], .ldkChannels),
  ]

  static let lndChannels = CopyAdvice(
    weight: .never,
    reason: "an old channel.db in LND gives the money in its channels to the other side",
    instead: "back up channel.backup, in data/chain/bitcoin/mainnet, and keep the 24 words",
    source: "https://github.com/lightningnetwork/lnd/blob/master/docs/safety.md")

  static let coreLightningChannels = CopyAdvice(
    weight: .never,
    reason: "an old database of Core Lightning can lose the money in its channels for good",
    instead:
      "back up emergency.recover and hsm_secret; lightningd --wallet can write a replica",
    source:
      "https://github.com/ElementsProject/lightning/blob/master/doc/beginners-guide/backup.md")

  static let ldkChannels = CopyAdvice(
    weight: .never,
    reason: "an old database of an LDK node can lose the money in its channels",
    instead: "keep the node's recovery words, and use the backup of the program that runs the node",
    source: "https://github.com/lightningdevkit/rust-lightning/issues/1563")

  /// Eclair and phoenixd have the same tables of channels.
  static let eclairChannels = CopyAdvice(
    weight: .never,
    reason: "an old database of Eclair or phoenixd can lose the money in its channels",
    instead:
      "Eclair: back up eclair.sqlite.bak, which it writes, node_seed.dat and channel_seed.dat\n"
      + "phoenixd: keep its 12 words; they are enough",
    source: "https://github.com/ACINQ/eclair#backup")

  static let eclairSnapshot = CopyAdvice(
    weight: .caution,
    reason: "this copy that Eclair wrote is old after the next payment",
    instead: "let keybackup file watch save it at every change",
    source: "https://github.com/ACINQ/eclair#backup")

  static let electrumWalletWithChannels = CopyAdvice(
    weight: .never,
    reason: "this Electrum wallet has Lightning channels, and an old copy can lose their money",
    instead: "use File > Save backup in Electrum, and back up the file that it writes",
    source: "https://github.com/spesmilo/electrum/blob/master/electrum/wallet.py")

  static let encryptedElectrumWallet = CopyAdvice(
    weight: .caution,
    reason: "this Electrum wallet is encrypted, so its Lightning channels cannot be seen",
    instead:
      "if it has channels, back up the file of File > Save backup in Electrum instead of this one",
    source: "https://github.com/spesmilo/electrum/blob/master/electrum/wallet.py")

  static let databaseInUse = CopyAdvice(
    weight: .notNow,
    reason: "another program has this database open, and a copy could be torn",
    instead: "close that program, or let it write a copy: bitcoin-cli backupwallet",
    source: "https://www.sqlite.org/howtocorrupt.html")
}

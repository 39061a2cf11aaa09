package import WalletFormats

extension UserMessage {
  /// The message for an input that belongs elsewhere.
  ///
  /// - Parameters:
  ///   - input: what it is.
  ///   - wanted: what was expected, in words.
  package init(_ input: KnownInput, insteadOf wanted: String) {
    let (kind, advice) = Self.words(input)
    self.init(
      .dataInvalid, "this is \(kind), not \(wanted)",
      hint: advice ?? "to keep it here as a file: keybackup file add FILE")
  }

  /// The name of an input, and what to do with it; nil: nothing but to keep it as a file.
  private static func words(_ input: KnownInput) -> (kind: String, advice: String?) {
    switch input {
    case .covb:
      ("a .covb file of the Cove wallet", "keybackup wallet import takes it with --covb FILE")
    case .seedQR:
      (
        "the digits of a SeedQR",
        "keybackup wallet import takes them with --format seedqr, --name and --network"
      )
    case .entries: ("WalletEntry JSON", "keybackup wallet import FILE takes it")
    case .labels:
      (
        "a file of labels (BIP-329)",
        "keybackup wallet import takes it with --format labels and --wallet; keybackup wallet add "
          + "with --labels"
      )
    case .privateKey:
      (
        "the private key of a single address (WIF)",
        "in a descriptor such as wpkh(KEY), keybackup wallet add --descriptor takes it"
      )
    case .encryptedKey: ("an encrypted private key (BIP-38)", nil)
    case .nostrKey: ("a Nostr secret key (nsec)", nil)
    case .encryptedNostrKey: ("an encrypted Nostr secret key (ncryptsec)", nil)
    case .damagedShare:
      ("a SLIP-39 share with a wrong word", "compare every word with your note, and their order")
    case .electrumWallet:
      (
        "a wallet file of Electrum",
        "in Electrum, Wallet > Information shows the keys for --xpub or --xprv\nto keep the file: "
          + "keybackup file add FILE"
      )
    case .encryptedElectrumWallet: ("an encrypted wallet file of Electrum", nil)
    case .wasabiWallet: ("a wallet file of Wasabi", nil)
    case .bitcoinCoreWallet, .berkeleyDatabase:
      (
        input == .bitcoinCoreWallet
          ? "a wallet.dat of Bitcoin Core" : "a Berkeley database, as an old wallet.dat is",
        "bitcoin-cli listdescriptors true prints what keybackup wallet import --format descriptors "
          + "takes\nto keep the file: keybackup file add FILE"
      )
    case .sparrowWallet:
      (
        "a database of Sparrow",
        "Sparrow exports the wallet's output descriptor, which keybackup wallet add --descriptor "
          + "takes\nto keep the file: keybackup file add FILE"
      )
    }
  }
}

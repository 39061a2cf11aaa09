package import WalletFormats

extension UserMessage {
  /// The message for a refused wallet secret, label file or option value.
  ///
  /// It never repeats any of it.
  package init(_ error: WalletFormatError) {
    let (text, hint) = Self.words(error)
    let code: ExitReason =
      switch error {
      case .networkUnknown, .fingerprintForm, .derivationPathForm, .walletIDForm: .usage
      case .ripemd160Missing, .outOfMemory: .config
      default: .dataInvalid
      }
    self = UserMessage(code, text, hint: hint)
  }

  private static func words(_ error: WalletFormatError) -> (String, String?) {
    switch error {
    case .empty: ("nothing but white space was given", "check the file")
    case .tooLong(let limit): ("the input is longer than \(limit) bytes", "check the file")
    case .invalidCharacter(let position):
      ("character \(position) does not belong here", "check for typing errors")
    case .mnemonicWordCount(let count):
      (
        "a mnemonic has 12, 15, 18, 21 or 24 words, not \(count)",
        "check that every word is there, each one once" + (shape(ofWords: count) ?? "")
      )
    case .mnemonicWordUnknown(let position):
      (
        "word \(position) is not in the BIP-39 English list",
        "check its spelling; words of other lists and languages are not taken"
      )
    case .mnemonicChecksum:
      (
        "all words are known, but their checksum fails",
        "a word is wrong, or two are swapped: compare with your note"
      )
    case .extendedKeyLength: ("an extended key has another length", "copy all of it again")
    case .extendedKeyChecksum: ("the extended key's checksum fails", "copy it again")
    case .extendedKeyVersion: ("this is no Bitcoin extended key", "it starts with xprv or xpub")
    case .extendedKeyDepth, .extendedKeyPrivateKey, .extendedKeyPublicKey:
      ("the extended key is not valid (BIP-32)", "export it again")
    case .extendedKeyIsPublic:
      ("a private extended key is needed; this one is public", "use --xpub for it")
    case .extendedKeyIsPrivate:
      ("a public extended key is needed; this one is private", "use --xprv for it")
    case .descriptorChecksumForm:
      (
        "the text after the descriptor's # is no checksum, which has 8 characters",
        "copy all of the descriptor again, and nothing else"
      )
    case .descriptorChecksum: ("the descriptor's checksum fails", "copy it again")
    case .descriptorSyntax(let position), .descriptorFunction(let position),
      .descriptorKey(let position), .descriptorMultipath(let position):
      ("the descriptor is not valid at character \(position)", "copy it again")
    case .descriptorMixedNetworks:
      ("the descriptor mixes mainnet and test network keys", "use keys of one network")
    case .descriptorDepth(let limit): ("the descriptor nests deeper than \(limit)", nil)
    case .labelsTooLarge(let limit): ("the labels are larger than \(limit) bytes", nil)
    case .labelsLine(let number, _):
      ("line \(number) of the labels is not a BIP-329 record", "export the labels again")
    case .labelsUnknownTypes(let count):
      (
        "the \(counted(count, "label")) in the file \(count == 1 ? "is" : "are") of a type that BIP-329 "
          + "does not define", "export the labels as BIP-329, with the types tx, addr, xpub, ..."
      )
    case .labelsCompression: ("the stored labels do not decompress", nil)
    case .passphraseCharacter, .ripemd160Missing, .outOfMemory, .covbForm, .covbVersion,
      .covbPasswordTooShort, .covbPasswordText, .covbAuthentication, .covbCompression,
      .covbContent, .covbTooLarge, .descriptorListForm, .descriptorListTooLong,
      .descriptorListItem, .descriptorKeyAlone, .descriptorKeyForm, .bsmsKeyRecord, .noDescriptors,
      .onlyPrivateDescriptors, .noPrivateKeys,
      .fingerprintDiffers, .seedQRForm, .seedQRWordCount:
      exchangeWords(error)
    case .networkUnknown:
      ("unknown network", "use bitcoin, testnet, testnet4 or signet")
    case .fingerprintForm: ("a fingerprint is 8 hexadecimal digits", nil)
    case .derivationPathForm: ("a derivation path is like m/84'/0'/0'", nil)
    case .walletIDForm:
      ("a wallet id is 1 to 64 letters, digits, '-', '_' and '.'", nil)
    }
  }

  /// The seeds of other kinds that have as many words, perhaps with a mistake.
  private static func shape(ofWords count: Int) -> String? {
    switch count {
    case 13, 25: "\n\(count) words look like a Monero seed, which Monero wallets restore"
    case 20, 33: "\n\(count) words look like a SLIP-39 share, which Trezor restores"
    default: nil
    }
  }

  /// Those of import and export.
  private static func exchangeWords(_ error: WalletFormatError) -> (String, String?) {
    switch error {
    case .passphraseCharacter(let position):
      (
        "character \(position) of the passphrase is not printable ASCII",
        "other characters can be encoded in several ways, each another wallet: none is taken"
      )
    case .ripemd160Missing:
      ("OpenSSL offers no RIPEMD-160", "it is in OpenSSL 3.0.7 and newer, unless set up without")
    case .outOfMemory: ("there is not enough memory for the password's key", nil)
    case .covbForm:
      ("this is not a .covb file, or not all of it", "copy it again from the phone")
    case .covbVersion(let version):
      ("this .covb file is of version \(version), not 4", "a newer keybackup may know it")
    case .covbPasswordTooShort:
      ("a .covb file's password has at least 20 characters beside spaces", nil)
    case .covbPasswordText: ("the password is not UTF-8", nil)
    case .covbAuthentication:
      ("the password is wrong, or the file was changed", "type the password again with care")
    case .covbCompression:
      ("what is in the .covb file does not decompress to at most 10 MiB", nil)
    case .covbContent(let reason):
      ("what is in the .covb file \(reason)", "export it again from the phone")
    case .covbTooLarge(let limit):
      ("a .covb file holds at most \(limit) bytes", "choose fewer wallets with --wallet")
    case .descriptorListForm:
      (
        "this is neither an output descriptor nor a list of them",
        "bitcoin-cli listdescriptors true prints a list, with the private keys"
      )
    case .descriptorListTooLong(let limit): ("there are more than \(limit) descriptors", nil)
    case .descriptorListItem(let number):
      ("descriptor \(number) of the list is not valid", "export the list again")
    case .descriptorKeyAlone:
      (
        "this is an extended key with its origin in [...], and no function around it",
        "keybackup wallet add takes the key without [...] with --xpub or --xprv; --fingerprint and "
          + "--derivation-path note the origin"
      )
    case .descriptorKeyForm:
      (
        "the descriptor has a key such as a zpub or ypub, where descriptors have an xpub",
        "export it with xpub; a zpub alone is taken by keybackup wallet add --xpub"
      )
    case .bsmsKeyRecord:
      (
        "this is a signer's key record (BIP-129), not the wallet's descriptor record",
        "export the wallet's record from the coordinator"
      )
    case .noDescriptors:
      ("no descriptor can be made from this wallet", nil)
    case .onlyPrivateDescriptors:
      ("the wallet's descriptor holds private keys", "add --private to export it all the same")
    case .fingerprintDiffers(let stated, let computed):
      (
        "the backup says \(stated), but these words with this passphrase give \(computed): another "
          + "wallet",
        "add or correct --passphrase"
      )
    case .noPrivateKeys: ("the wallet has no private keys", "leave out --private")
    case .seedQRForm:
      (
        "this is no SeedQR: 48 or 96 digits, or 16 or 32 bytes",
        "scan it again; a compact code needs a scanner that gives raw bytes"
      )
    case .seedQRWordCount(let count):
      (
        "SeedQR is made for 12 and 24 words, not \(count)",
        "export the words with --format mnemonic"
      )
    default: ("the input is not valid", nil)
    }
  }
}

extension UserMessage {
  /// The message for a seed of another kind than BIP-39.
  package init(_ seed: OtherSeed) {
    let (kind, restorer) = Self.words(seed)
    self.init(
      .dataInvalid, "this is \(kind), not a BIP-39 mnemonic",
      hint: restorer + "; to keep it here as a file: keybackup file add FILE"
        + (seed == .electrum ? "\nif another program made these words, one of them is wrong" : ""))
  }

  /// The name of a seed, and what restores it.
  private static func words(_ seed: OtherSeed) -> (String, String) {
    switch seed {
    case .electrum: ("an Electrum seed", "Electrum restores it")
    case .aezeed: ("the seed of an LND node (aezeed)", "LND restores it: lncli create")
    case .slip39:
      ("a SLIP-39 share", "Trezor and other wallets with SLIP-39 restore it, with enough shares")
    case .codex32:
      ("a codex32 secret or share (BIP-93)", "a wallet with codex32 restores it")
    case .monero: ("a Monero seed", "Monero wallets restore it")
    }
  }
}

internal import WalletFormats

extension UserMessage {
  /// What a refused wallet secret, label file or option value means to a
  /// person; never repeats any of it.
  init(_ error: WalletFormatError) {
    let (text, hint) = Self.words(error)
    let code: ExitCode =
      switch error {
      case .networkUnknown, .fingerprintForm, .derivationPathForm, .walletIDForm: .usage
      default: .dataInvalid
      }
    self = UserMessage(code, text, hint: hint)
  }

  private static func words(_ error: WalletFormatError) -> (String, String?) {
    switch error {
    case .empty: ("nothing but white space was given", "check the file")
    case .tooLong(let limit): ("the input is longer than \(limit) bytes", "check the file")
    case .invalidCharacter(let position):
      ("character \(position) has no place here", "check for typing errors")
    case .mnemonicWordCount(let count):
      (
        "a mnemonic has 12, 15, 18, 21 or 24 words, not \(count)",
        "check that every word is there, each one once"
      )
    case .mnemonicWordUnknown(let position):
      ("word \(position) is not in the BIP-39 English list", "check its spelling")
    case .mnemonicChecksum:
      (
        "the words are all known but their checksum fails",
        "a word is wrong or two are swapped: compare with your note"
      )
    case .extendedKeyLength: ("this has not the length of an extended key", "copy it again")
    case .extendedKeyChecksum: ("the extended key's checksum fails", "copy it again")
    case .extendedKeyVersion: ("this is no Bitcoin extended key", "it starts with xprv or xpub")
    case .extendedKeyDepth, .extendedKeyPrivateKey, .extendedKeyPublicKey:
      ("the extended key is not valid (BIP-32)", "export it again")
    case .extendedKeyIsPublic:
      ("a private extended key is needed, this one is public", "use --xpub for it")
    case .extendedKeyIsPrivate:
      ("a public extended key is needed, this one is private", "use --xprv for it")
    case .descriptorChecksumForm, .descriptorChecksum:
      ("the descriptor's checksum fails", "copy it again")
    case .descriptorSyntax(let position), .descriptorFunction(let position),
      .descriptorKey(let position), .descriptorMultipath(let position):
      ("the descriptor is not valid at character \(position)", "copy it again")
    case .descriptorMixedNetworks:
      ("the descriptor mixes mainnet and test network keys", "use keys of one network")
    case .descriptorDepth(let limit): ("the descriptor nests deeper than \(limit)", nil)
    case .labelsTooLarge(let limit): ("the labels are larger than \(limit) bytes", nil)
    case .labelsLine(let number, _):
      ("line \(number) of the labels is not a BIP-329 record", "export the labels again")
    case .labelsCompression: ("the stored labels do not decompress", nil)
    case .networkUnknown:
      ("unknown network", "use bitcoin, testnet, testnet4 or signet")
    case .fingerprintForm: ("a fingerprint is 8 hexadecimal digits", nil)
    case .derivationPathForm: ("a derivation path is like m/84'/0'/0'", nil)
    case .walletIDForm:
      ("a wallet id is 1 to 64 letters, digits, '-', '_' and '.'", nil)
    }
  }
}

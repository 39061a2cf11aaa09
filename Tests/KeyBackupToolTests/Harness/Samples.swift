/// Wallets without money: the published test vectors of BIP-32 and BIP-39.
enum Samples {
  static let mnemonic =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
  static let otherMnemonic =
    "legal winner thank year wave sausage worth useful legal winner thank yellow"
  static let xprv =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TG"
    + "tRBeJgk33yuGBxrMPHi"
  static let xpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TM"
    + "g7usUDFdp6W1EGMcet8"
  static let descriptor =
    "wpkh([817e7be0/84h/0h/0h]xpub6CiKnWv7PPyyeb4kCwK4fidKqVjPfD9TP6MiXnzBVGZYNanNdY3mMvywcrdDc6w"
    + "K82jyBSd95vsk26QujnJWPrSaPfYeyW7NyX37HHGtfQM/0/*)"
  static let labels = """
    {"type":"tx","ref":"f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd","label":"rent"}
    {"type":"addr","ref":"bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c","label":"K\u{e4}se"}

    """

  /// Texts that no output may contain unless they were requested.
  static let secrets = [
    Sandbox.pin, mnemonic, otherMnemonic, xprv, "abandon abandon", "legal winner",
    String(xprv.dropFirst(8)),
  ]

  /// A WalletEntry as another program would write it.
  static func entry(id: String, name: String, words: String = otherMnemonic) -> String {
    #"{"wallet_id":"\#(id)","secret":{"Mnemonic":"\#(words)"},"metadata":{"id":"\#(id)","#
      + #""name":"\#(name)","color":"Blue","verified":true,"network":"Bitcoin","#
      + #""kept":[1,12345678901234567890,{"x":null}]},"wallet_mode":"Main","updated_at":1780000000}"#
  }
}

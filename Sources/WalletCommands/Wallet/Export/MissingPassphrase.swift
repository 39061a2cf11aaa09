internal import CSPP
internal import SecretMemory
internal import WalletFormats

extension WalletEntry {
  /// The warning that the words alone are another wallet than the one in the
  /// metadata; nil if they are that one, or if nobody can tell.
  ///
  /// - Parameter plaintext: the entry's bytes.
  /// - Returns: a sentence.
  func missingPassphrase(in plaintext: borrowing SecretBytes) -> String? {
    let none = SecretBytes(zeroed: 0)
    guard secretKind == .mnemonic, let stated = statedFingerprint,
      let computed = try? computedFingerprint(in: plaintext, passphrase: none),
      computed != stated
    else { return nil }
    return "the backup says \(stated), the words alone give \(computed): the wallet needs its "
      + "BIP-39 passphrase too, which is not exported, or these are other words"
  }
}

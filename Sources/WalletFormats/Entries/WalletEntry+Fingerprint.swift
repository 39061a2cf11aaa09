public import CSPP
public import SecretMemory

extension WalletEntry {
  /// The master fingerprint in the metadata; `nil` for none or an invalid one.
  public var statedFingerprint: Fingerprint? { fingerprint.flatMap { try? Fingerprint($0) } }

  /// The wallet's master fingerprint, computed from its keys.
  ///
  /// - Parameters:
  ///   - plaintext: the entry's bytes.
  ///   - passphrase: BIP-39's; empty for none.
  /// - Returns: `nil` where the keys do not give it.
  /// - Throws: ``WalletFormatError`` for invalid keys or an invalid passphrase.
  public func computedFingerprint(
    in plaintext: borrowing SecretBytes, passphrase: borrowing SecretBytes
  ) throws(WalletFormatError) -> Fingerprint? {
    switch secretKind {
    case .mnemonic:
      return try Mnemonic(checking: secretText(in: plaintext))
        .masterKey(passphrase: passphrase).fingerprint()
    case .xprv:
      return try ExtendedKey(checking: secretText(in: plaintext), expecting: .privateKey)
        .masterFingerprint()
    case .watchOnly:
      switch xpub(in: plaintext) {
      case nil: return nil
      case .some(let xpub):
        return try ExtendedKey(checking: xpub, expecting: .publicKey).masterFingerprint()
      }
    case .descriptor, .tapSignerBackup: return nil
    }
  }

  /// The secret's text; empty where there is none.
  func secretText(in plaintext: borrowing SecretBytes) -> SecretBytes {
    switch try? secret(in: plaintext) {
    case nil: return SecretBytes(zeroed: 0)
    case .some(let text): return text
    }
  }
}

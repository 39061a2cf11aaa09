public import CSPP
public import SecretMemory

extension WalletEntry {
  /// The digest of the secret that can spend the wallet's coins, for comparison.
  ///
  /// It depends on the meaning of words and keys, not on their spelling.
  ///
  /// - Parameter plaintext: the entry's bytes.
  /// - Returns: `nil` for a watch-only wallet.
  public func spendingSecret(in plaintext: borrowing SecretBytes) -> Digest? {
    let text = secretText(in: plaintext)
    switch secretKind {
    case .watchOnly: return nil
    case .descriptor:
      // A descriptor that does not parse may contain a key.
      if let holdsKey = try? Descriptor(checking: text).containsPrivateKey, !holdsKey {
        return nil
      }
    case .mnemonic, .xprv, .tapSignerBackup: break
    }
    var writer = SecretWriter(capacity: text.count + 64)
    writer.string(secretKind.rawValue)
    normalised(text).withBytes { writer.raw($0) }
    return writer.withBytes { Digest(of: $0) }
  }

  private func normalised(_ text: borrowing SecretBytes) -> SecretBytes {
    do throws(WalletFormatError) {
      switch secretKind {
      case .mnemonic: return try Mnemonic(checking: text).phrase.copy()
      case .xprv: return try ExtendedKey(checking: text, expecting: .privateKey).plainText()
      case .descriptor, .tapSignerBackup, .watchOnly: return text.copy()
      }
    } catch {
      return text.copy()
    }
  }
}

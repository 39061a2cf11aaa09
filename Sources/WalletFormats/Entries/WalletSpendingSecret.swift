public import CSPP
public import SecretMemory

extension WalletEntry {
  /// Names what the wallet's coins can be spent with, to compare it: words and
  /// keys as they are meant, not as they are spelled.
  ///
  /// - Parameter plaintext: the entry's bytes.
  /// - Returns: `nil` for a wallet that can only watch.
  public func spendingSecret(in plaintext: borrowing SecretBytes) -> Digest? {
    let text = secretText(in: plaintext)
    switch secretKind {
    case .watchOnly: return nil
    case .descriptor:
      // One that does not parse may hold a key.
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

public import CSPP
public import SecretMemory

/// The spending ability that a backup's contents give for a wallet.
public enum WalletSpending: String, Sendable {
  /// The backup has private keys for all of the wallet's keys, or their origin.
  case full
  /// The backup has private keys for some of a descriptor's keys, perhaps too few for a multisig.
  case partly
  /// The backup has no private keys: alone it can never spend anything.
  case watchOnly = "watch-only"
  /// The ability is unknown: a card's backup that is encrypted once more, or a descriptor that this
  /// version cannot read.
  case unknown

  /// Determines the ability from a descriptor.
  public init(_ descriptor: borrowing Descriptor) {
    guard descriptor.containsPrivateKey else {
      self = .watchOnly
      return
    }
    self = descriptor.containsPublicKey ? .partly : .full
  }
}

extension WalletEntry {
  /// The spending ability for the wallet's coins.
  ///
  /// - Parameter plaintext: the entry's bytes.
  /// - Returns: the ability.
  public func spending(in plaintext: borrowing SecretBytes) -> WalletSpending {
    switch secretKind {
    case .mnemonic, .xprv: return .full
    case .tapSignerBackup: return .unknown
    case .descriptor: return Self.spending(of: secretText(in: plaintext))
    case .watchOnly:
      // Another program may store descriptors in a wallet that it calls watch-only.
      switch externalDescriptor(in: plaintext) {
      case nil: return .watchOnly
      case .some(let descriptor):
        let spending = Self.spending(of: descriptor)
        return spending == .unknown ? .watchOnly : spending
      }
    }
  }

  private static func spending(of text: borrowing SecretBytes) -> WalletSpending {
    // A descriptor that does not parse may contain a key.
    guard let descriptor = try? Descriptor(checking: text) else { return .unknown }
    return WalletSpending(descriptor)
  }
}

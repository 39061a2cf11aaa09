public import CSPP
public import SecretMemory

/// What the coins of a wallet can be spent with, of what a backup holds.
public enum WalletSpending: String, Sendable {
  /// Private keys for all of its keys, or what they come from.
  case full
  /// Private keys for some of a descriptor's keys: of a multisig, perhaps too few.
  case partly
  /// None: with the backup alone nothing can ever be spent.
  case watchOnly = "watch-only"
  /// Cannot be told: a card's backup that is encrypted once more, or a descriptor
  /// that this version does not read.
  case unknown

  /// What a descriptor allows.
  public init(_ descriptor: borrowing Descriptor) {
    guard descriptor.containsPrivateKey else {
      self = .watchOnly
      return
    }
    self = descriptor.containsPublicKey ? .partly : .full
  }
}

extension WalletEntry {
  /// What the wallet's coins can be spent with.
  ///
  /// - Parameter plaintext: the entry's bytes.
  /// - Returns: what they can be spent with.
  public func spending(in plaintext: borrowing SecretBytes) -> WalletSpending {
    switch secretKind {
    case .mnemonic, .xprv: return .full
    case .tapSignerBackup: return .unknown
    case .descriptor: return Self.spending(of: secretText(in: plaintext))
    case .watchOnly:
      // Another program may keep descriptors beside what it calls watch-only.
      switch externalDescriptor(in: plaintext) {
      case nil: return .watchOnly
      case .some(let descriptor):
        let spending = Self.spending(of: descriptor)
        return spending == .unknown ? .watchOnly : spending
      }
    }
  }

  private static func spending(of text: borrowing SecretBytes) -> WalletSpending {
    // One that does not parse may hold a key.
    guard let descriptor = try? Descriptor(checking: text) else { return .unknown }
    return WalletSpending(descriptor)
  }
}

/// The networks a wallet record can be for.
public enum WalletNetwork: String, CaseIterable, Sendable {
  /// The main network.
  case bitcoin
  /// Testnet, version 3.
  case testnet
  /// Testnet, version 4 (BIP-94).
  case testnet4
  /// The default signet (BIP-325).
  case signet

  /// Reads the word of the command line: `bitcoin`, `testnet`, `testnet4`,
  /// `signet`.
  ///
  /// - Throws: ``WalletFormatError/networkUnknown``.
  public init(argument: String) throws(WalletFormatError) {
    guard let network = WalletNetwork(rawValue: argument) else { throw .networkUnknown }
    self = network
  }

  /// Reads the word of a CSPP record's metadata; `nil` for any other.
  public init?(csppName: String) {
    guard let network = Self.allCases.first(where: { $0.csppName == csppName }) else {
      return nil
    }
    self = network
  }

  /// The word of a CSPP record's metadata.
  public var csppName: String {
    switch self {
    case .bitcoin: "Bitcoin"
    case .testnet: "Testnet"
    case .testnet4: "Testnet4"
    case .signet: "Signet"
    }
  }

  /// What the version bytes of this network's extended keys say.
  public var keyNetwork: KeyNetwork { self == .bitcoin ? .mainnet : .testnet }
}

/// The networks of wallet records.
public enum WalletNetwork: String, CaseIterable, Sendable {
  /// The main network.
  case bitcoin
  /// Testnet, version 3.
  case testnet
  /// Testnet, version 4 (BIP-94).
  case testnet4
  /// The default signet (BIP-325).
  case signet

  /// Parses the word used on the command line: `bitcoin`, `testnet`, `testnet4`, `signet`, in
  /// capital or small letters.
  ///
  /// - Throws: ``WalletFormatError/networkUnknown``.
  public init(argument: String) throws(WalletFormatError) {
    guard let network = WalletNetwork(rawValue: argument.lowercased()) else {
      throw .networkUnknown
    }
    self = network
  }

  /// Parses the word in a CSPP record's metadata; `nil` for any other text.
  public init?(csppName: String) {
    guard let network = Self.allCases.first(where: { $0.csppName == csppName }) else {
      return nil
    }
    self = network
  }

  /// The word in a CSPP record's metadata.
  public var csppName: String {
    switch self {
    case .bitcoin: "Bitcoin"
    case .testnet: "Testnet"
    case .testnet4: "Testnet4"
    case .signet: "Signet"
    }
  }

  /// The network that the version bytes of this network's extended keys state.
  public var keyNetwork: KeyNetwork { self == .bitcoin ? .mainnet : .testnet }
}

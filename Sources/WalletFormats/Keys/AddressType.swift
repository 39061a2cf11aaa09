/// The single-signature address types that have a derivation scheme.
public enum AddressType: String, CaseIterable, Sendable {
  /// P2PKH, BIP-44.
  case legacy
  /// P2WPKH in P2SH, BIP-49.
  case nestedSegwit = "nested-segwit"
  /// P2WPKH, BIP-84.
  case nativeSegwit = "native-segwit"
  /// P2TR with only a key, BIP-86.
  case taproot

  /// The first step of the derivation path, which is hardened.
  public var purpose: UInt32 {
    switch self {
    case .legacy: 44
    case .nestedSegwit: 49
    case .nativeSegwit: 84
    case .taproot: 86
    }
  }

  /// Parses the word in a CSPP record's metadata; `nil` for any other text.
  public init?(csppName: String) {
    switch csppName {
    case "Legacy": self = .legacy
    case "WrappedSegwit": self = .nestedSegwit
    case "NativeSegwit": self = .nativeSegwit
    default: return nil
    }
  }

  /// The type stated by the version bytes of an extended key.
  ///
  /// `nil` where they state none, or a multi-signature type.
  public init?(_ form: ExtendedKey.Form) {
    switch form {
    case .nestedSegwit: self = .nestedSegwit
    case .segwit: self = .nativeSegwit
    case .plain, .nestedSegwitMultisig, .segwitMultisig: return nil
    }
  }

  /// The text before and after the key in a descriptor.
  var frame: (before: String, after: String) {
    switch self {
    case .legacy: ("pkh(", ")")
    case .nestedSegwit: ("sh(wpkh(", "))")
    case .nativeSegwit: ("wpkh(", ")")
    case .taproot: ("tr(", ")")
    }
  }
}

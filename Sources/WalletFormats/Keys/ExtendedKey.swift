// This folder is for BIP-32 keys, derivation paths, networks and address types, with the required
// curve and encodings. The other rooms use them. Words, descriptors and CSPP are not known here.

public import SecretMemory

/// A BIP-32 extended key in base58check, checked.
public struct ExtendedKey: ~Copyable {
  /// The key as given, without surrounding white space.
  public let text: SecretBytes
  /// Whether it can spend.
  public let isPrivate: Bool
  /// The network according to the version bytes.
  public let network: KeyNetwork
  /// The address type according to the version bytes (SLIP-132).
  public let form: Form
  /// The depth: 0 for a master key, 3 for an account of BIP-44, -49, -84 or -86.
  public let depth: Int
  /// The parent's fingerprint, `nil` for a master key.
  ///
  /// At depth 1 this is the master fingerprint.
  public let parentFingerprint: Fingerprint?
  /// The child number; 2^31 and above are hardened.
  public let childNumber: UInt32

  /// The longest input that is read, 256 bytes; a key has 111 or 112.
  public static let sizeLimit = 256

  /// The address type that the version bytes stand for.
  public enum Form: Sendable, Hashable {
    /// xprv, xpub, tprv, tpub: BIP-32 itself, which states no address type.
    case plain
    /// yprv, ypub, uprv, upub: P2WPKH in P2SH.
    case nestedSegwit
    /// zprv, zpub, vprv, vpub: P2WPKH.
    case segwit
    /// Yprv, Ypub, Uprv, Upub: multi-signature P2WSH in P2SH.
    case nestedSegwitMultisig
    /// Zprv, Zpub, Vprv, Vpub: multi-signature P2WSH.
    case segwitMultisig
  }

  /// The requested half of a key pair.
  public enum Expectation: Sendable, Hashable {
    /// A key that can spend.
    case privateKey
    /// A key that can only watch.
    case publicKey
  }

  /// Checks a key, and that it is the requested half: a private key must not end up where public
  /// ones are stored.
  ///
  /// Checked are the alphabet, length, checksum and version bytes. At depth zero there must be no
  /// parent and child number (BIP-32). A private key must be in 1..n-1, a public key a point of the
  /// curve.
  ///
  /// - Throws: ``WalletFormatError``: `empty`, `tooLong`, `invalidCharacter`,
  ///   or one of the `extendedKey` cases.
  public init(
    checking input: borrowing SecretBytes, expecting expectation: Expectation
  ) throws(WalletFormatError) {
    let text = try UTF8Text.decoded(input).withBytes { text throws(WalletFormatError) in
      SecretBytes(
        copying: text.extracting(try ASCII.trimmed(text, limit: Self.sizeLimit)))
    }
    let facts = try text.withBytes { text throws(WalletFormatError) in
      try ExtendedKeyPayload.check(text)
    }
    switch (expectation, facts.version.isPrivate) {
    case (.privateKey, false): throw .extendedKeyIsPublic
    case (.publicKey, true): throw .extendedKeyIsPrivate
    default: break
    }
    self.text = text
    isPrivate = facts.version.isPrivate
    network = facts.version.network
    form = facts.version.form
    depth = facts.depth
    parentFingerprint = facts.parentFingerprint
    childNumber = facts.childNumber
  }

  /// The same key with BIP-32's own version bytes: xprv, xpub, tprv, tpub.
  ///
  /// Most programs, and all descriptors, accept no others. The result no longer states the
  /// addresses that ``form`` stands for.
  public borrowing func plainText() -> SecretBytes {
    guard form != .plain,
      let version = ExtendedKeyVersion.plain(isPrivate: isPrivate, network: network)
    else { return text.copy() }
    return ExtendedKeyPayload.replaceVersion(of: text, by: version) ?? text.copy()
  }
}

/// The network as far as a key's version bytes state it: the test networks use the same ones.
public enum KeyNetwork: Sendable, Hashable {
  /// Bitcoin's main network.
  case mainnet
  /// Any of testnet, testnet4, signet and regtest.
  case testnet
}

internal import CSPP
public import SecretMemory

/// The key of one account, from which a descriptor derives addresses.
public struct AccountKey: ~Copyable {
  /// The key: xpub, tpub, xprv or tprv.
  public let text: SecretBytes
  /// Its origin, if known.
  public let origin: Origin?

  /// A wallet's fingerprint and the path from its master key.
  public struct Origin: Equatable, Sendable {
    /// The master key's fingerprint.
    public let fingerprint: Fingerprint
    /// The path to the account's key.
    public let path: DerivationPath

    /// Creates the origin of a key.
    public init(fingerprint: Fingerprint, path: DerivationPath) {
      self.fingerprint = fingerprint
      self.path = path
    }

    /// The origin in BIP-380's form: `[d34db33f/84'/0'/0']`.
    var text: String { "[\(fingerprint)\(path.description.dropFirst())]" }
  }

  /// Creates the value from an existing key.
  ///
  /// - Parameters:
  ///   - text: an extended key with BIP-32's own version bytes.
  ///   - origin: its origin.
  public init(_ text: consuming SecretBytes, origin: Origin?) {
    self.text = text
    self.origin = origin
  }

  /// The key of an account of a wallet (BIP-44, -49, -84, -86).
  ///
  /// - Parameters:
  ///   - master: the wallet's master key.
  ///   - type: the kind of addresses.
  ///   - account: below 2^31.
  ///   - network: the network whose coin type is in the path.
  ///   - half: public for watching, private for spending.
  /// - Throws: `ripemd160Missing`, `derivationPathForm` for a larger account.
  public init(
    of master: borrowing ExtendedPrivateKey, _ type: AddressType, account: UInt32 = 0,
    network: KeyNetwork, _ half: ExtendedKey.Expectation
  ) throws(WalletFormatError) {
    let coin = network == .mainnet ? 0 : 1
    let path = try DerivationPath("m/\(type.purpose)'/\(coin)'/\(account)'")
    let origin = Origin(fingerprint: try master.fingerprint(), path: path)
    self.init(try master.derive(path).text(half, network: network), origin: origin)
  }

  /// The two chains of an account's addresses.
  public enum Chain: Int, CaseIterable, Sendable {
    /// The chain of receiving addresses.
    case external
    /// The chain of change addresses.
    case `internal`
  }

  /// The descriptor of an account's addresses, with its checksum.
  ///
  /// - Throws: ``WalletFormatError`` for an invalid key.
  public borrowing func descriptor(
    _ type: AddressType, _ chain: Chain
  ) throws(WalletFormatError) -> SecretBytes {
    let frame = type.frame
    var writer = SecretWriter(capacity: 512)
    writer.raw(frame.before + (origin?.text ?? ""))
    text.withBytes { writer.raw($0) }
    writer.raw("/\(chain.rawValue)/*" + frame.after)
    return try Descriptor(checking: writer.finish()).text.copy()
  }
}

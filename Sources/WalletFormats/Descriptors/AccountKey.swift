internal import CSPP
public import SecretMemory

/// The key of one account, from which a descriptor makes addresses.
public struct AccountKey: ~Copyable {
  /// xpub, tpub, xprv or tprv.
  public let text: SecretBytes
  /// Where it comes from, if that is known.
  public let origin: Origin?

  /// A wallet's fingerprint and the path from its master key.
  public struct Origin: Equatable, Sendable {
    /// The master key's.
    public let fingerprint: Fingerprint
    /// The path to the account's key.
    public let path: DerivationPath

    /// Names a place in a wallet.
    public init(fingerprint: Fingerprint, path: DerivationPath) {
      self.fingerprint = fingerprint
      self.path = path
    }

    /// `[d34db33f/84'/0'/0']`, as BIP-380 writes it.
    var text: String { "[\(fingerprint)\(path.description.dropFirst())]" }
  }

  /// Takes a key as it is.
  ///
  /// - Parameters:
  ///   - text: an extended key with BIP-32's own version bytes.
  ///   - origin: where it comes from.
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
  ///   - network: whose coin type the path has.
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

  /// The two halves of an account's addresses.
  public enum Chain: Int, CaseIterable, Sendable {
    /// For receiving.
    case external
    /// For change.
    case `internal`
  }

  /// The descriptor of an account's addresses, with its checksum.
  ///
  /// - Throws: ``WalletFormatError`` for a key that is none.
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

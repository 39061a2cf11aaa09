/// A parsed wallet entry: a view of its bytes, which stay in guarded memory, opaque and unchanged.
///
/// No secret is copied; ``secret(in:)`` returns it on request.
public struct WalletEntry: Equatable, Sendable {
  /// The kind of secret that an entry holds.
  public enum SecretKind: String, CaseIterable, Sendable {
    /// BIP-39 words.
    case mnemonic = "Mnemonic"
    /// An extended private key; needs an envelope of version 2.
    case xprv = "Xprv"
    /// The encrypted backup of a TAPSIGNER card.
    case tapSignerBackup = "TapSignerBackup"
    /// An output descriptor.
    case descriptor = "Descriptor"
    /// No secret: the wallet cannot spend.
    case watchOnly = "WatchOnly"
  }

  /// The app mode in which the wallet is shown.
  public enum Mode: String, CaseIterable, Sendable {
    /// The usual mode.
    case main = "Main"
    /// The mode shown under duress.
    case decoy = "Decoy"
  }

  /// The operation and computer that sealed the entry; CSPP ignores this mark.
  public struct Mark: Hashable, Sendable {
    /// The computer.
    public let writerID: WriterID
    /// Its operation.
    public let counter: UInt64

    /// Creates a mark for an operation.
    public init(writerID: WriterID, counter: UInt64) {
      self.writerID = writerID
      self.counter = counter
    }
  }

  /// The wallet's random ID.
  public let walletID: String
  /// SHA-256 of ``walletID``.
  public let recordID: RecordID
  /// The kind of the secret from ``secret(in:)``.
  public let secretKind: SecretKind
  /// The mode: main or decoy.
  public let mode: Mode
  /// `name` of the metadata, for people.
  public let name: String?
  /// `network` of the metadata: `Bitcoin`, `Testnet`, `Testnet4`, `Signet`.
  public let network: String?
  /// `master_fingerprint` of the metadata, as written.
  public let fingerprint: String?
  /// The time of the last change, in Unix seconds.
  public let updatedAt: UInt64?
  /// The number of labels, as stated.
  public let labelsCount: UInt64?
  /// SHA-256 of the uncompressed labels, as stated.
  public let labelsHash: Digest?
  /// The size of the uncompressed labels in bytes, as stated; at most 10 MiB.
  public let labelsUncompressedSize: UInt64?
  /// The operation that sealed the entry; nil in other programs' entries.
  public let mark: Mark?

  let secretValue: JSONValue
  let metadataValue: JSONValue
  let xpubValue: JSONValue?
  let externalValue: JSONValue?
  let internalValue: JSONValue?
  let labelsValue: JSONValue?
  let revisionValue: JSONValue?
}

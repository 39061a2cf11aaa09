// This folder is for telling what a file is that was given in another one's place. It uses all
// other rooms but Pictures, and none uses it. What the person then does is not known here.

internal import CSPP
public import SecretMemory

/// Something that is no secret of a wallet as `wallet add` takes it, and is told for sure.
///
/// A checksum tells it, the first bytes of a file, or names that only one program writes.
public enum KnownInput: CaseIterable, Sendable {
  /// Cove's file with a password.
  case covb
  /// The digits of a SeedQR.
  case seedQR
  /// A CSPP entry, or one a line.
  case entries
  /// BIP-329 labels.
  case labels
  /// The private key of one address, in the wallet import format.
  case privateKey
  /// Such a key, encrypted with a passphrase (BIP-38).
  case encryptedKey
  /// A Nostr secret key (NIP-19).
  case nostrKey
  /// A Nostr secret key, encrypted with a password (NIP-49).
  case encryptedNostrKey
  /// A SLIP-39 share of which a word is wrong.
  case damagedShare
  case electrumWallet, encryptedElectrumWallet, wasabiWallet, bitcoinCoreWallet, berkeleyDatabase
  case sparrowWallet

  /// The most bytes of a text that is looked through.
  private static let textLimit = DescriptorList.sizeLimit

  /// Recognises an input; `nil` for anything else.
  public init?(recognising input: borrowing SecretBytes) {
    if let file = input.withBytes({ WalletFile.kind(of: $0) }) {
      self = file
      return
    }
    guard input.count <= Self.textLimit else { return nil }
    let text = UTF8Text.decoded(input)
    let found = text.withBytes { text in
      let text = text.extracting(ASCII.trimmed(text))
      return Self.allCases.first { $0.fits(text) }
    }
    guard let found else { return nil }
    self = found
  }

  private func fits(_ text: RawSpan) -> Bool {
    switch self {
    case .seedQR: Self.isSeedQR(text)
    case .entries: Self.isEntry(text)
    case .labels: Self.isLabel(text)
    case .privateKey: SingleKey.isImportFormat(text)
    case .encryptedKey: SingleKey.isEncrypted(text)
    case .nostrKey: SingleKey.isBech32(text, "nsec")
    case .encryptedNostrKey: SingleKey.isBech32(text, "ncryptsec")
    case .damagedShare: OtherSeed.isDamagedShare(text)
    case .electrumWallet: WalletFile.isJSON(text, with: ["\"seed_version\"", "\"wallet_type\""])
    case .wasabiWallet: WalletFile.isJSON(text, with: ["\"EncryptedSecret\"", "\"ExtPubKey\""])
    case .encryptedElectrumWallet: WalletFile.isEncryptedElectrum(text)
    // They are told by their first bytes.
    case .covb, .bitcoinCoreWallet, .berkeleyDatabase, .sparrowWallet: false
    }
  }

  private static func isSeedQR(_ text: RawSpan) -> Bool {
    guard [48, 96].contains(text.byteCount),
      (0..<text.byteCount).allSatisfy({ ASCII.isDigit(text.byte($0)) })
    else { return false }
    switch try? SeedQR.mnemonic(from: SecretBytes(copying: text)) {
    case nil: return false
    case .some: return true
    }
  }

  /// Whether the first line, or all of the text, is an entry.
  private static func isEntry(_ text: RawSpan) -> Bool {
    guard text.starts(with: "{".utf8, at: 0) else { return false }
    return (try? WalletEntry(parsing: text.extracting(firstLine(of: text)))) != nil
      || (try? WalletEntry(parsing: text)) != nil
  }

  private static func isLabel(_ text: RawSpan) -> Bool {
    (try? LabelLine.check(text.extracting(firstLine(of: text)))) != nil
  }

  private static func firstLine(of text: RawSpan) -> Range<Int> {
    0..<((0..<text.byteCount).first { text.byte($0) == 0x0A } ?? text.byteCount)
  }
}

internal import SecretMemory
internal import WalletFormats

/// A wallet's secret that was given to the option for another kind.
enum OtherSecret: String, CaseIterable {
  case mnemonic, xprv, xpub, descriptor

  /// Refuses what another option takes, and names that one.
  ///
  /// - Parameters:
  ///   - input: what a file holds.
  ///   - wanted: the option that was used.
  /// - Throws: `data-invalid` when the input certainly is of another kind.
  static func refuse(
    _ input: borrowing SecretBytes, besides wanted: OtherSecret
  ) throws(UserMessage) {
    guard !wanted.fits(input), let other = allCases.first(where: { $0.fits(input) }) else { return }
    throw UserMessage(
      .dataInvalid, "this is \(other.words), not \(wanted.words)",
      hint: "keybackup wallet add takes it with --\(other.rawValue)")
  }

  /// The secret in words.
  var words: String {
    switch self {
    case .mnemonic: "a mnemonic"
    case .xprv: "an extended private key"
    case .xpub: "an extended public key"
    case .descriptor: "an output descriptor"
    }
  }

  /// Whether an input is of this kind.
  func fits(_ input: borrowing SecretBytes) -> Bool {
    do throws(WalletFormatError) {
      switch self {
      case .mnemonic: _ = try Mnemonic(checking: input)
      case .xprv: _ = try ExtendedKey(checking: input, expecting: .privateKey)
      case .xpub: _ = try ExtendedKey(checking: input, expecting: .publicKey)
      case .descriptor: _ = try Descriptor(checking: input)
      }
      return true
    } catch {
      return false
    }
  }
}

package import SecretMemory
internal import WalletFormats

/// A wallet's secret that was given to the option for another kind.
package enum OtherSecret: String, CaseIterable {
  case mnemonic, xprv, xpub, descriptor

  /// Refuses what another option takes, and names that one.
  ///
  /// - Parameters:
  ///   - input: what a file holds.
  ///   - wanted: the option that was used; nil: a file of WalletEntry JSON was expected.
  /// - Throws: `data-invalid` when the input certainly is of another kind.
  package static func refuse(
    _ input: borrowing SecretBytes, besides wanted: OtherSecret?
  ) throws(UserMessage) {
    if wanted?.fits(input) == true { return }
    // Larger ones are none of these, and only the first bytes tell what they are.
    guard input.count <= DescriptorList.sizeLimit else {
      try refuseKnown(input, besides: wanted)
      return
    }
    if let other = allCases.first(where: { $0.fits(input) }) {
      throw UserMessage(
        .dataInvalid, "this is \(other.words), not \(wanted?.words ?? "WalletEntry JSON")",
        hint: "keybackup wallet add takes it with --\(other.rawValue)"
          + (wanted == nil && other == .descriptor
            ? "\nfor several wallets: keybackup wallet import --format descriptors" : ""))
    }
    if let seed = OtherSeed(recognising: input) { throw UserMessage(seed) }
    try refuseKnown(input, besides: wanted)
    do throws(WalletFormatError) {
      _ = try DescriptorList(parsing: input.copy())
    } catch .descriptorKeyAlone {
      throw UserMessage(WalletFormatError.descriptorKeyAlone)
    } catch {
      // The caller says what is wrong with it.
    }
  }

  /// Refuses what is told for sure, and is none of the four kinds.
  private static func refuseKnown(
    _ input: borrowing SecretBytes, besides wanted: OtherSecret?
  ) throws(UserMessage) {
    guard let known = KnownInput(recognising: input), wanted != nil || known != .entries else {
      return
    }
    throw UserMessage(known, insteadOf: wanted?.words ?? "WalletEntry JSON")
  }

  /// The secret in words.
  package var words: String {
    switch self {
    case .mnemonic: "a mnemonic"
    case .xprv: "an extended private key"
    case .xpub: "an extended public key"
    case .descriptor: "an output descriptor"
    }
  }

  /// Whether an input is of this kind.
  package func fits(_ input: borrowing SecretBytes) -> Bool {
    do throws(WalletFormatError) {
      switch self {
      case .mnemonic: _ = try Mnemonic(checking: input)
      case .xprv: _ = try ExtendedKey(checking: input, expecting: .privateKey)
      case .xpub: _ = try ExtendedKey(checking: input, expecting: .publicKey)
      case .descriptor: _ = try DescriptorList(parsing: input.copy())
      }
      return true
    } catch {
      return false
    }
  }
}

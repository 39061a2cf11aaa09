// The top folder of this module is for errors, and what several formats need to read text
// in guarded memory. Every room but Pictures uses it. In the whole module no file, folder
// or log is known.

/// Why something handed over as a wallet secret, a label file or a wallet's
/// metadata is refused.
///
/// No case carries any of the text that was refused: positions and lengths say
/// where to look without repeating a secret in a message or a log.
public enum WalletFormatError: Error, Equatable, Sendable {
  /// Nothing but white space was given.
  case empty
  /// More bytes than any such secret has; the limit, in bytes.
  case tooLong(limit: Int)
  /// A byte that has no place in this format; its 1-based position.
  case invalidCharacter(position: Int)

  /// A BIP-39 mnemonic has 12, 15, 18, 21 or 24 words, not this many.
  case mnemonicWordCount(Int)
  /// A word that is not in the BIP-39 English list; its 1-based position.
  case mnemonicWordUnknown(position: Int)
  /// Every word is known, but they do not belong together: a word is wrong or
  /// two are swapped.
  case mnemonicChecksum

  /// A BIP-39 passphrase with a character outside printable ASCII; its 1-based
  /// position in bytes.
  case passphraseCharacter(position: Int)

  /// Not the length of an extended key.
  case extendedKeyLength
  /// The base58check checksum does not fit: a character is wrong.
  case extendedKeyChecksum
  /// The version bytes are of no Bitcoin extended key.
  case extendedKeyVersion
  /// Depth zero, yet a parent or a child number is named (BIP-32).
  case extendedKeyDepth
  /// Not a private key: its first byte is not zero, or it is not in 1..n-1.
  case extendedKeyPrivateKey
  /// Not a public key: its first byte is neither 2 nor 3, or no point of the
  /// curve has this x coordinate.
  case extendedKeyPublicKey
  /// A private extended key was expected, a public one was given.
  case extendedKeyIsPublic
  /// A public extended key was expected, a private one was given.
  case extendedKeyIsPrivate

  /// What follows `#` is not 8 characters of the checksum alphabet.
  case descriptorChecksumForm
  /// The checksum does not fit the descriptor.
  case descriptorChecksum
  /// The expression is not one, from this 1-based position on.
  case descriptorSyntax(position: Int)
  /// An unknown function, or one that may not stand here; its 1-based position.
  case descriptorFunction(position: Int)
  /// A key expression (BIP-380) that is not valid; its 1-based position.
  case descriptorKey(position: Int)
  /// Multipath steps (BIP-389) that are not valid or not equally many.
  case descriptorMultipath(position: Int)
  /// Keys of mainnet and of a test network in one descriptor.
  case descriptorMixedNetworks
  /// Nested deeper than any descriptor in use; the limit.
  case descriptorDepth(limit: Int)

  /// A label file of more bytes than CSPP allows; the limit, in bytes.
  case labelsTooLarge(limit: Int)
  /// A line of a label file is not a BIP-329 record; its 1-based number.
  case labelsLine(Int, LabelProblem)
  /// The stored labels do not decompress.
  case labelsCompression

  /// A derivation got no memory.
  case outOfMemory
  /// OpenSSL offers no RIPEMD-160, which fingerprints need.
  case ripemd160Missing

  /// Not a `.covb` file, or cut off, or with something behind its end.
  case covbForm
  /// A `.covb` file of another version.
  case covbVersion(Int)
  /// A password with less than 20 characters beside white space.
  case covbPasswordTooShort
  /// A password that is not UTF-8.
  case covbPasswordText
  /// The password is wrong, or the file was changed.
  case covbAuthentication
  /// What is inside does not decompress to at most 10 MiB.
  case covbCompression
  /// What is inside is not the JSON of a `.covb` file; the field at fault.
  case covbContent(String)
  /// More wallets or larger ones than a `.covb` file holds; the limit in bytes.
  case covbTooLarge(limit: Int)

  /// Neither an importdescriptors request nor a listdescriptors result.
  case descriptorListForm
  /// More descriptors than any wallet has; the limit.
  case descriptorListTooLong(limit: Int)
  /// One of the list is not valid; its 1-based number.
  case descriptorListItem(Int)

  /// Nothing in the wallet that a descriptor can be made of.
  case noDescriptors
  /// The wallet's descriptors hold private keys, which were not asked for.
  case onlyPrivateDescriptors
  /// Private keys were asked for, and the wallet has none.
  case noPrivateKeys

  /// The metadata state another fingerprint than words and passphrase have.
  case fingerprintDiffers(stated: Fingerprint, computed: Fingerprint)

  /// Neither the digits nor the bytes of a SeedQR.
  case seedQRForm
  /// SeedQR is made for 12 and 24 words.
  case seedQRWordCount(Int)

  /// Not one of the networks.
  case networkUnknown
  /// A fingerprint is 8 hexadecimal digits.
  case fingerprintForm
  /// A derivation path is like `m/84'/0'/0'`, each number below 2^31.
  case derivationPathForm
  /// A wallet id is 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
  case walletIDForm
}

/// What is wrong with a line of a label file (BIP-329).
public enum LabelProblem: Error, Equatable, Sendable {
  /// Not one JSON object in UTF-8.
  case notJSONObject
  /// `type` is missing or none of tx, addr, pubkey, input, output, xpub.
  case type
  /// `ref` is missing, empty or no string.
  case reference
  /// `label` or `origin` is no string, or `spendable` is no boolean.
  case field
  /// A field is there twice.
  case duplicateField
}

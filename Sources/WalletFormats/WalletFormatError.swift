// The top folder of this module is for errors, and for the common means to read text in guarded
// memory. Every room but Pictures uses it. The whole module knows no file, folder or log.

/// The reason why a wallet secret, a label file or a wallet's metadata is rejected.
///
/// No case contains any of the rejected text. Positions and lengths tell where to look without
/// repeating a secret in a message or a log.
public enum WalletFormatError: Error, Equatable, Sendable {
  /// The input is empty or only white space.
  case empty
  /// The input has more bytes than any such secret; the limit is in bytes.
  case tooLong(limit: Int)
  /// A byte is not allowed in this format; its position counts from 1.
  case invalidCharacter(position: Int)

  /// The mnemonic has this many words instead of 12, 15, 18, 21 or 24 (BIP-39).
  case mnemonicWordCount(Int)
  /// A word is not in the BIP-39 English list; its position counts from 1.
  case mnemonicWordUnknown(position: Int)
  /// Every word is known, but the checksum is wrong: a word is wrong or two are swapped.
  case mnemonicChecksum

  /// A BIP-39 passphrase has a character outside printable ASCII; its position in bytes counts from
  /// 1.
  case passphraseCharacter(position: Int)

  /// The text does not have the length of an extended key.
  case extendedKeyLength
  /// The base58check checksum does not match: a character is wrong.
  case extendedKeyChecksum
  /// The version bytes are not those of a Bitcoin extended key.
  case extendedKeyVersion
  /// The depth is zero, but a parent or a child number is given (BIP-32).
  case extendedKeyDepth
  /// The private key is invalid: its first byte is not zero, or it is not in 1..n-1.
  case extendedKeyPrivateKey
  /// The public key is invalid: its first byte is neither 2 nor 3, or no point of the curve has
  /// this x coordinate.
  case extendedKeyPublicKey
  /// A private extended key was expected and a public one was given.
  case extendedKeyIsPublic
  /// A public extended key was expected and a private one was given.
  case extendedKeyIsPrivate

  /// The text after `#` is not 8 characters of the checksum alphabet.
  case descriptorChecksumForm
  /// The checksum does not match the descriptor.
  case descriptorChecksum
  /// The expression is invalid from this position on, counted from 1.
  case descriptorSyntax(position: Int)
  /// A function is unknown or not allowed here; its position counts from 1.
  case descriptorFunction(position: Int)
  /// A key expression (BIP-380) is invalid; its position counts from 1.
  case descriptorKey(position: Int)
  /// Multipath steps (BIP-389) are invalid or of different number.
  case descriptorMultipath(position: Int)
  /// The descriptor has keys of mainnet and of a test network.
  case descriptorMixedNetworks
  /// The nesting is deeper than in any descriptor in use; the value is the limit.
  case descriptorDepth(limit: Int)

  /// The label file has more bytes than CSPP allows; the limit is in bytes.
  case labelsTooLarge(limit: Int)
  /// A line of a label file is not a BIP-329 record; its number counts from 1.
  case labelsLine(Int, LabelProblem)
  /// A label file has nothing but lines of types that BIP-329 does not define; the number of lines.
  case labelsUnknownTypes(Int)
  /// The stored labels do not decompress.
  case labelsCompression

  /// A derivation could not allocate its memory.
  case outOfMemory
  /// OpenSSL provides no RIPEMD-160, which fingerprints need.
  case ripemd160Missing

  /// The file is not a `.covb` file, is cut off, or continues after its end.
  case covbForm
  /// The `.covb` file has another version.
  case covbVersion(Int)
  /// The password has fewer than 20 characters other than white space.
  case covbPasswordTooShort
  /// The password is not UTF-8.
  case covbPasswordText
  /// The password is wrong, or the file was changed.
  case covbAuthentication
  /// The contents do not decompress to at most 10 MiB.
  case covbCompression
  /// The contents are not the JSON of a `.covb` file; the text names the field.
  case covbContent(String)
  /// There are more or larger wallets than a `.covb` file holds; the limit is in bytes.
  case covbTooLarge(limit: Int)

  /// The text is neither an output descriptor nor a list of them.
  case descriptorListForm
  /// The list has more descriptors than any wallet; the value is the limit.
  case descriptorListTooLong(limit: Int)
  /// A descriptor of the list is invalid; its number counts from 1.
  case descriptorListItem(Int)
  /// The text is an extended key with its origin, without a function around it.
  case descriptorKeyAlone
  /// A key has version bytes of SLIP-132, as a zpub; descriptors have those of BIP-32.
  case descriptorKeyForm
  /// The text is one signer's key record (BIP-129), not the record of the wallet.
  case bsmsKeyRecord

  /// The wallet has nothing from which a descriptor can be made.
  case noDescriptors
  /// The wallet's descriptors contain private keys, which were not requested.
  case onlyPrivateDescriptors
  /// Private keys were requested, and the wallet has none.
  case noPrivateKeys

  /// The metadata state another fingerprint than that of the words and passphrase.
  case fingerprintDiffers(stated: Fingerprint, computed: Fingerprint)

  /// The input is neither the digits nor the bytes of a SeedQR.
  case seedQRForm
  /// The mnemonic has this many words; SeedQR supports 12 and 24.
  case seedQRWordCount(Int)

  /// The text is not the name of a network.
  case networkUnknown
  /// The text is not a fingerprint, which has 8 hexadecimal digits.
  case fingerprintForm
  /// The text is not a derivation path such as `m/84'/0'/0'`, each number below 2^31.
  case derivationPathForm
  /// The text is not a wallet ID: 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
  case walletIDForm
}

/// The problem of a line in a label file (BIP-329).
public enum LabelProblem: Error, Equatable, Sendable {
  /// The line is not one JSON object in UTF-8.
  case notJSONObject
  /// `type` is missing or not one of tx, addr, pubkey, input, output, xpub.
  case type
  /// `ref` is missing, empty or not a string.
  case reference
  /// `label` or `origin` is not a string, or `spendable` is not a boolean.
  case field
  /// A field appears twice.
  case duplicateField
}

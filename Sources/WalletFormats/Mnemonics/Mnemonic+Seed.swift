public import SecretMemory

extension Mnemonic {
  /// The longest BIP-39 passphrase accepted, 1024 bytes.
  public static let passphraseLimit = 1024

  /// The master key (BIP-39, "From mnemonic to seed"; BIP-32, "Master key generation").
  ///
  /// - Parameter passphrase: BIP-39's, empty for none. ASCII only: BIP-39 requires other text to be
  ///   decomposed (NFKD), and a different decomposition would give another wallet.
  /// - Returns: the key.
  /// - Throws: ``WalletFormatError``: `passphraseCharacter`, `tooLong`; with a
  ///   chance of 2^-127 `extendedKeyPrivateKey`.
  public borrowing func masterKey(
    passphrase: borrowing SecretBytes
  ) throws(WalletFormatError) -> ExtendedPrivateKey {
    try ExtendedPrivateKey(seed: seed(passphrase: passphrase))
  }

  /// The 64-byte seed; see ``masterKey(passphrase:)``.
  borrowing func seed(passphrase: borrowing SecretBytes) throws(WalletFormatError) -> SecretBytes {
    guard passphrase.count <= Self.passphraseLimit else {
      throw .tooLong(limit: Self.passphraseLimit)
    }
    let word = Array("mnemonic".utf8)
    let salt = try passphrase.withBytes { text throws(WalletFormatError) in
      for offset in 0..<text.byteCount where !(0x20...0x7E).contains(text.byte(offset)) {
        throw .passphraseCharacter(position: offset + 1)
      }
      return SecretBytes(count: word.count + text.byteCount) { salt in
        for (offset, byte) in word.enumerated() { salt.set(offset, byte) }
        for offset in 0..<text.byteCount { salt.set(word.count + offset, text.byte(offset)) }
      }
    }
    return phrase.withBytes { phrase in
      salt.withBytes { HMACSHA512.pbkdf2(password: phrase, salt: $0, iterations: 2048) }
    }
  }
}

public import SecretMemory

/// SeedQR (SeedSigner's format): a mnemonic as four digits per word, or as its entropy.
public enum SeedQR {
  /// The word counts that the format supports.
  public static let wordCounts = [12, 24]

  /// The longest input that is read, 256 bytes.
  public static let sizeLimit = 256

  /// The digits of the standard form: each word's index in the list, from 0000.
  ///
  /// - Throws: `seedQRWordCount`.
  public static func digits(
    of mnemonic: borrowing Mnemonic
  ) throws(WalletFormatError) -> SecretBytes {
    let bits = try bits(of: mnemonic)
    let words = mnemonic.wordCount
    return SecretBytes(count: words * 4) { digits in
      bits.withBytes { bits in
        for word in 0..<words {
          var index = Self.index(word, in: bits)
          for place in stride(from: 3, through: 0, by: -1) {
            digits.set(word * 4 + place, 0x30 + UInt8(index % 10))
            index /= 10
          }
        }
      }
    }
  }

  /// The bytes of the compact form: the entropy.
  ///
  /// - Throws: `seedQRWordCount`.
  public static func entropy(
    of mnemonic: borrowing Mnemonic
  ) throws(WalletFormatError) -> SecretBytes {
    try bits(of: mnemonic).copy(0..<mnemonic.wordCount / 3 * 4)
  }

  private static func bits(
    of mnemonic: borrowing Mnemonic
  ) throws(WalletFormatError) -> SecretBytes {
    guard wordCounts.contains(mnemonic.wordCount) else {
      throw .seedQRWordCount(mnemonic.wordCount)
    }
    return try Mnemonic.bits(of: mnemonic.phrase, wordCount: mnemonic.wordCount)
  }

  /// Parses either form: digits with surrounding white space, or exactly 16 or 32 bytes.
  ///
  /// - Throws: ``WalletFormatError``: `empty`, `tooLong`, `seedQRForm`,
  ///   `mnemonicChecksum`.
  public static func mnemonic(
    from input: borrowing SecretBytes
  ) throws(WalletFormatError) -> Mnemonic {
    let phrase = try input.withBytes { text throws(WalletFormatError) in
      let range = try ASCII.trimmed(text, limit: sizeLimit)
      if wordCounts.contains(range.count / 4), range.count % 4 == 0,
        range.allSatisfy({ ASCII.isDigit(text.byte($0)) })
      {
        return try words(count: range.count / 4) { word throws(WalletFormatError) in
          let start = range.lowerBound + word * 4
          let index = (start..<start + 4).reduce(0) { $0 * 10 + Int(text.byte($1) - 0x30) }
          guard index < EnglishWordList.count else { throw .seedQRForm }
          return index
        }
      }
      let count = text.byteCount * 3 / 4
      guard text.byteCount % 4 == 0, wordCounts.contains(count) else { throw .seedQRForm }
      let bits = SecretBytes(count: text.byteCount + 1) { bits in
        for offset in 0..<text.byteCount { bits.set(offset, text.byte(offset)) }
        // The checksum has at most 8 bits.
        bits.set(text.byteCount, SHA256.hash(text)[0])
      }
      return try bits.withBytes { bits throws(WalletFormatError) in
        try words(count: count) { word throws(WalletFormatError) in index(word, in: bits) }
      }
    }
    return try Mnemonic(checking: phrase)
  }

  /// The 11 bits of a word.
  private static func index(_ word: Int, in bits: RawSpan) -> Int {
    (word * 11..<word * 11 + 11).reduce(0) { index, bit in
      index << 1 | Int(bits.byte(bit / 8) >> (7 - UInt8(bit % 8)) & 1)
    }
  }

  private static func words(
    count: Int, _ index: (Int) throws(WalletFormatError) -> Int
  ) throws(WalletFormatError) -> SecretBytes {
    var phrase = SecretBytes(zeroed: count * 9)
    let length = try phrase.withMutableBytes { output throws(WalletFormatError) in
      var length = 0
      for word in 0..<count {
        if word > 0 {
          output.set(length, 0x20)
          length += 1
        }
        let packed = EnglishWordList.packed[try index(word)]
        for letter in 0..<8 {
          let byte = UInt8(truncatingIfNeeded: packed >> (56 - 8 * UInt64(letter)))
          if byte == 0 { continue }
          output.set(length, byte)
          length += 1
        }
      }
      return length
    }
    phrase.resize(to: length)
    return phrase
  }
}

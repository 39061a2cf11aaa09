// This folder is for BIP-39 words, their seed, and SeedQR as text. The later rooms check and read
// words with it. The origin of the words is not known here.

public import SecretMemory

/// A checked BIP-39 mnemonic in the English word list.
public struct Mnemonic: ~Copyable {
  /// The words in lower case, separated by one space, with none at the ends.
  public let phrase: SecretBytes
  /// The number of words: 12, 15, 18, 21 or 24.
  public let wordCount: Int

  /// The longest input that is read, 4096 bytes: 24 words of 8 letters leave ample room for white
  /// space.
  public static let sizeLimit = 4096

  /// Parses words separated by white space of any kind, in either case.
  ///
  /// The words are never completed from their first letters and never corrected: the user's own
  /// words are stored.
  ///
  /// - Throws: ``WalletFormatError``: `empty`, `tooLong`, `invalidCharacter`,
  ///   `mnemonicWordCount`, `mnemonicWordUnknown`, `mnemonicChecksum`.
  public init(checking input: borrowing SecretBytes) throws(WalletFormatError) {
    let phrase = try Self.normalise(UTF8Text.decoded(input))
    let wordCount = Self.countWords(phrase)
    guard [12, 15, 18, 21, 24].contains(wordCount) else { throw .mnemonicWordCount(wordCount) }
    let bits = try Self.bits(of: phrase, wordCount: wordCount)
    guard Self.checksumFits(bits, wordCount: wordCount) else { throw .mnemonicChecksum }
    self.phrase = phrase
    self.wordCount = wordCount
  }

  /// The words in lower case with one space between them, whatever their list is.
  static func normalise(
    _ input: borrowing SecretBytes
  ) throws(WalletFormatError) -> SecretBytes {
    try input.withBytes { text throws(WalletFormatError) in
      let range = try ASCII.trimmed(text, limit: sizeLimit)
      var phrase = SecretBytes(zeroed: range.count)
      let length = try phrase.withMutableBytes { output throws(WalletFormatError) in
        var length = 0
        var spaceIsDue = false
        var offset = range.lowerBound
        while offset < range.upperBound {
          let space = spaceLength(text, at: offset)
          if space > 0 {
            spaceIsDue = length > 0
            offset += space
            continue
          }
          let byte = text.byte(offset)
          guard ASCII.isLetter(byte) else { throw .invalidCharacter(position: offset + 1) }
          if spaceIsDue {
            output.set(length, 0x20)
            length += 1
            spaceIsDue = false
          }
          output.set(length, byte | 0x20)
          length += 1
          offset += 1
        }
        return length
      }
      phrase.resize(to: length)
      return phrase
    }
  }

  /// The size of the space at `offset` in bytes, or 0.
  private static func spaceLength(_ text: RawSpan, at offset: Int) -> Int {
    ASCII.isSpace(text.byte(offset)) ? 1 : ASCII.unusualSpaceLength(text, at: offset)
  }

  static func countWords(_ phrase: borrowing SecretBytes) -> Int {
    phrase.withBytes { text in
      var count = 1
      for offset in 0..<text.byteCount where text.byte(offset) == 0x20 { count += 1 }
      return count
    }
  }

  /// The words' indices in sequence, 11 bits each: entropy, then checksum.
  static func bits(
    of phrase: borrowing SecretBytes, wordCount: Int
  ) throws(WalletFormatError) -> SecretBytes {
    var bits = SecretBytes(zeroed: (wordCount * 11 + 7) / 8)
    try bits.withMutableBytes { bits throws(WalletFormatError) in
      try phrase.withBytes { text throws(WalletFormatError) in
        var start = 0
        for word in 0..<wordCount {
          let index = try index(ofWordAt: &start, in: text, number: word + 1)
          for bit in 0..<11 {
            let position = word * 11 + bit
            let value = UInt8(truncatingIfNeeded: (index >> (10 - bit)) & 1)
            let byte = bits.bytes.byte(position / 8) | value << (7 - UInt8(position % 8))
            bits.set(position / 8, byte)
          }
        }
      }
    }
    return bits
  }

  /// Looks up the word at `start` and advances `start` past it and its space.
  private static func index(
    ofWordAt start: inout Int, in text: RawSpan, number: Int
  ) throws(WalletFormatError) -> Int {
    var packed: UInt64 = 0
    var length = 0
    while start < text.byteCount, text.byte(start) != 0x20 {
      packed = packed << 8 | UInt64(text.byte(start))
      length += 1
      start += 1
    }
    start += 1
    // The longest words of the list have 8 letters; more would not fit the number.
    guard length <= 8, let index = EnglishWordList.index(of: packed) else {
      throw .mnemonicWordUnknown(position: number)
    }
    return index
  }

  /// Verifies the checksum: one bit of the entropy's SHA-256 for every 32 bits of entropy.
  ///
  /// The digest of 128 bits or more reveals nothing about them, so it may pass through ordinary
  /// memory.
  private static func checksumFits(_ bits: borrowing SecretBytes, wordCount: Int) -> Bool {
    bits.withBytes { bits in
      let entropySize = wordCount / 3 * 4
      let unused = 8 - UInt8(wordCount / 3)
      let digest = SHA256.hash(bits.extracting(0..<entropySize))
      return digest[0] >> unused == bits.byte(entropySize) >> unused
    }
  }
}

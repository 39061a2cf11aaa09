/// Detects text, not given as a wallet's words, that may nevertheless be such words.
public enum WordLook {
  /// The number of listed words in a text from which it is hardly a name.
  private static let few = 4

  /// Whether a word is in the English list of BIP-39.
  public static func isListed(_ word: Substring) -> Bool {
    guard (1...8).contains(word.utf8.count) else { return false }
    var packed: UInt64 = 0
    for byte in word.utf8 {
      guard ASCII.isLetter(byte) else { return false }
      packed = packed << 8 | UInt64(byte | 0x20)
    }
    return EnglishWordList.index(of: packed) != nil
  }

  /// Whether a text looks like a wallet's words, perhaps with a mistake or in another language.
  public static func isSeen(in text: String) -> Bool {
    isSeen(text.split { $0.isWhitespace || $0 == "," })
  }

  /// Whether words look like a wallet's, perhaps with a mistake or in another language.
  public static func isSeen(_ words: [Substring]) -> Bool {
    // The word counts of a mnemonic.
    if words.count.isMultiple(of: 3), (12...24).contains(words.count),
      words.allSatisfy({ $0.allSatisfy(\.isLetter) })
    {
      return true
    }
    return words.count >= few && words.count(where: isListed) * 4 >= words.count * 3
  }
}

internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// Recognises a secret among other text by its look.
enum SecretLook {
  /// Whether it may be one; a name can look like it too.
  static func isSeen(in value: String) -> Bool {
    pieces(value).contains { WordLook.isSeen(wordsWithoutNumbers($0)) }
      || isPrivateKey(value) || isWIF(value) || isRecoveryCode(value)
  }

  /// The parts of a value that may be one: of a path, the names that look like a wallet's words.
  static func parts(of value: String) -> [String] {
    let seen = pieces(value).dropFirst().filter { WordLook.isSeen(wordsWithoutNumbers($0)) }
    if !seen.isEmpty, !isPrivateKey(value), !isWIF(value), !isRecoveryCode(value) {
      return seen.map(String.init)
    }
    return isSeen(in: value) ? [value] : []
  }

  /// Whether it is one, and nothing else could be meant.
  static func isCertain(in value: String) -> Bool {
    isMnemonic(words(value)) || isPrivateKey(value)
  }

  /// Whether a mnemonic in English is among these words, with a slip perhaps.
  static func isMnemonic(_ words: [Substring]) -> Bool {
    let listed = words.map(WordLook.isListed)
    return listed.indices.dropLast(fewestWords - 1).contains { start in
      listed[start..<start + fewestWords].count(where: { $0 }) >= fewestWords - 1
    }
  }

  /// Nothing but letters; what is between them may be of any kind.
  static func words(_ value: String) -> [Substring] { value.split { !$0.isLetter } }

  /// Keys in hexadecimal, or what a SeedQR holds.
  ///
  /// - Parameters:
  ///   - value: an argument.
  ///   - isOption: whether an option's name may come first.
  /// - Returns: the digits.
  static func longDigits(_ value: String, isOption: Bool) -> [String] {
    if isOption {
      return value.split { !$0.isHexDigit }.filter { $0.utf8.count >= 48 }.map(String.init)
    }
    return value.split(separator: ":").map(String.init).filter {
      $0.utf8.count >= 48 && $0.allSatisfy(\.isHexDigit)
    }
  }

  /// Numbers as long as a PIN.
  ///
  /// - Parameters:
  ///   - value: an argument.
  ///   - isOption: whether an option's name may come first.
  /// - Returns: the numbers.
  static func numbers(_ value: String, isOption: Bool) -> [String] {
    let found = isOption ? value.split { !$0.isNumber } : [value[...]]
    return found.filter { $0.utf8.count >= 4 && $0.allSatisfy(\.isNumber) }.map(String.init)
  }

  /// Whether it is a line that authorises a computer, which holds no secret for others.
  ///
  /// Its letters are random, and may look like the beginning of a key.
  static func isWriterLine(_ value: String) -> Bool {
    let text = value.lowercased()
    return ["keybackup-writer1", "keybackup-inbox1"].contains { start in
      guard text.hasPrefix(start) else { return false }
      return text.dropFirst(start.count).utf8.allSatisfy {
        (48...57).contains($0) || (97...122).contains($0)
      }
    }
  }

  private static let fewestWords = 12
  private static let recoveryCodeLength = 26

  /// The parts that may be the secret if a scheme or folders come before it.
  private static func pieces(_ value: String) -> [Substring] {
    [value[...]] + value.split { $0 == "/" || $0 == ":" }
  }

  /// The words without the numbers of a list.
  private static func wordsWithoutNumbers(_ text: Substring) -> [Substring] {
    text.split { $0.isWhitespace || $0 == "," }
      .map { $0.drop { $0.isNumber || ".):#".contains($0) } }
      .filter { !$0.isEmpty }
  }

  /// An extended private key or an nsec, in a descriptor perhaps, or right after
  /// an option's name.
  private static func isPrivateKey(_ value: String) -> Bool {
    // An nsec has 63 characters, an extended key 111.
    guard value.utf8.count > 50 else { return false }
    return value.split { !$0.isLetter && !$0.isNumber }.contains { part in
      // ASCII letters in lower case, by bytes: looking at characters showed in every start.
      let bytes = part.utf8.map { $0 | 0x20 }
      return bytes.indices.dropLast(50).contains { index in
        let start = bytes[index..<index + 5]
        return start.elementsEqual("nsec1".utf8)
          || (start.dropFirst().starts(with: "prv".utf8) && "xtyzuv".utf8.contains(start[index]))
      }
    }
  }

  /// A private key as Bitcoin Core exports a single one.
  private static func isWIF(_ value: String) -> Bool {
    value.split { !$0.isLetter && !$0.isNumber }.contains { part in
      (51...52).contains(part.utf8.count) && "5KL9c".contains(part.prefix(1))
    }
  }

  /// Whether it is a recovery code, with a slip perhaps.
  static func isRecoveryCode(_ value: String) -> Bool {
    // With a slip in it too, and right after an option's name.
    let groups = value.suffix(recoveryCodeLength).split(separator: "-")
    if groups.map(\.count) == [4, 4, 4, 4, 4, 1] { return true }
    let typed = unsafe SecretBytes(copying: Array(value.utf8).span.bytes)
    return (try? RecoveryCode(parsing: typed)) != nil
  }
}

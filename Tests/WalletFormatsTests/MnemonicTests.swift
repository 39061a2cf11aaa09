import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

@Suite struct MnemonicTests {
  struct Vector: Decodable { let mnemonic: String }
  struct Changed: Decodable {
    let mnemonic: String
    let valid: Bool
  }

  static func vectors() throws -> [String] {
    try Vectors.decode("bip39/english.json", as: CaseFile<Vector>.self).cases.map(\.mnemonic)
  }

  static func word(_ packed: UInt64) -> String {
    let letters = (0..<8).map { UInt8(truncatingIfNeeded: packed >> (56 - 8 * UInt64($0))) }
    return String(decoding: letters.filter { $0 != 0 }, as: UTF8.self)
  }

  func check(_ input: String) throws(WalletFormatError) -> String {
    try text(Mnemonic(checking: secret(input)).phrase)
  }

  func refusalOf(_ input: String) -> WalletFormatError? {
    refusal { () throws(WalletFormatError) in _ = try Mnemonic(checking: secret(input)) }
  }

  @Test func `Word list is the one of BIP 39`() {
    #expect(EnglishWordList.packed.count == 2048)
    let file = EnglishWordList.packed.map { Self.word($0) + "\n" }.joined()
    #expect(
      ASCII.hex(SHA256.hash(Array(file.utf8)))
        == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
    for (index, packed) in EnglishWordList.packed.enumerated() {
      #expect(EnglishWordList.index(of: packed) == index)
    }
    #expect(EnglishWordList.index(of: 0) == nil)
  }

  @Test func `Official vectors are accepted`() throws {
    let vectors = try Self.vectors()
    #expect(vectors.count == 32)
    for phrase in vectors {
      let mnemonic = try Mnemonic(checking: secret(phrase))
      #expect(text(mnemonic.phrase) == phrase)
      #expect(mnemonic.wordCount == phrase.split(separator: " ").count)
    }
    #expect(Set(vectors.map { $0.split(separator: " ").count }) == [12, 15, 18, 21, 24])
  }

  @Test func `One changed word is refused unless the checksum fits`() throws {
    let cases = try Vectors.decode("bip39/one-word-changed.json", as: CaseFile<Changed>.self).cases
    #expect(cases.count == 576)
    for changed in cases {
      #expect(refusalOf(changed.mnemonic) == (changed.valid ? nil : .mnemonicChecksum))
    }
  }

  @Test(arguments: [
    "%", "%\n", "  %  ", "\u{FEFF}%\r\n", "\t%\n\n\n", "\u{A0}%\u{3000}",
  ])
  func `White space around is dropped`(form: String) throws {
    let phrase = try #require(try Self.vectors().last)
    let input = String(form.map { $0 == "%" ? phrase : String($0) }.joined())
    #expect(try check(input) == phrase)
  }

  @Test(arguments: [
    "  ", "\n", "\r\n", "\t", " \n \t ", "\u{A0}", " \u{2009}\u{202F}", "\u{205F}", "\u{3000}",
  ])
  func `Any white space separates`(separator: String) throws {
    for phrase in try Self.vectors() {
      let words = phrase.split(separator: " ")
      #expect(try check(words.joined(separator: separator)) == phrase)
      #expect(try check(words.joined(separator: separator).uppercased()) == phrase)
    }
  }

  @Test func `Wrong number of words is refused`() {
    for count in 1...40 where ![12, 15, 18, 21, 24].contains(count) {
      let input = Array(repeating: "abandon", count: count).joined(separator: " ")
      #expect(refusalOf(input) == .mnemonicWordCount(count))
    }
  }

  @Test(
    arguments: 1...12, ["abando", "aban", "abandonn", "zooo", "abandonabandon", "q", "satoshis"])
  func `Unknown word is named by its place only`(position: Int, word: String) throws {
    var words = Array(repeating: "abandon", count: 12)
    words[position - 1] = word
    let error = refusalOf(words.joined(separator: " "))
    #expect(error == .mnemonicWordUnknown(position: position))
    #expect(error.map { "\($0)".contains(word) && word.count > 1 } == false)
  }

  @Test func `Swapped words are refused`() {
    let input = "winner legal thank year wave sausage worth useful legal winner thank yellow"
    #expect(refusalOf(input) == .mnemonicChecksum)
  }

  @Test(arguments: [
    ("", WalletFormatError.empty), (" \r\n\t", .empty), ("\u{FEFF}", .empty),
    ("abandon-abandon", .invalidCharacter(position: 8)),
    ("1. abandon", .invalidCharacter(position: 1)),
    ("abandon\u{0}", .invalidCharacter(position: 8)),
    ("abandon\u{200B}about", .invalidCharacter(position: 8)),
    ("abandon\u{2028}about", .invalidCharacter(position: 8)),
    ("abandon\u{A0}about", .mnemonicWordCount(2)),
    ("ábaco", .invalidCharacter(position: 1)),
    (String(repeating: " ", count: 4097), .tooLong(limit: 4096)),
  ])
  func `Unusable input is refused`(input: String, expected: WalletFormatError) {
    #expect(refusalOf(input) == expected)
  }

  @Test func `Any bytes are judged without crashing`() {
    var generator = SeededGenerator(seed: 39)
    for _ in 0..<3000 {
      let count = Int.random(in: 0...200, using: &generator)
      let input = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(
        refusal { () throws(WalletFormatError) in _ = try Mnemonic(checking: secret(input)) } != nil
      )
    }
  }

  /// Random words: about one in 16 sequences of 12 fits its checksum.
  @Test func `Random words fit as often as they should`() {
    var generator = SeededGenerator(seed: 12)
    var accepted = 0
    for _ in 0..<1600 {
      let words = (0..<12).map { _ in
        Self.word(EnglishWordList.packed[Int.random(in: 0..<2048, using: &generator)])
      }
      let error = refusalOf(words.joined(separator: " "))
      #expect(error == nil || error == .mnemonicChecksum)
      if error == nil { accepted += 1 }
    }
    #expect((60...145).contains(accepted))
  }
}

import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

@Suite struct SeedQRTests {
  struct Vector: Decodable { let entropy, mnemonic: String }

  static func vectors() throws -> [Vector] {
    try Vectors.decode("bip39/english.json", as: CaseFile<Vector>.self).cases
  }

  /// The mnemonic for a scanned text, or the error.
  func read(_ input: [UInt8]) throws(WalletFormatError) -> String {
    text(try SeedQR.mnemonic(from: secret(input)).phrase)
  }

  @Test func `Both forms give the words back`() throws {
    let words = EnglishWordList.packed.map { MnemonicTests.word($0) }
    var seen: Set<Int> = []
    for vector in try Self.vectors() {
      let mnemonic = try Mnemonic(checking: secret(vector.mnemonic))
      let split = vector.mnemonic.split(separator: " ").map(String.init)
      guard SeedQR.wordCounts.contains(split.count) else {
        #expect(
          refusal { () throws(WalletFormatError) in _ = try SeedQR.digits(of: mnemonic) }
            == .seedQRWordCount(split.count))
        #expect(
          refusal { () throws(WalletFormatError) in _ = try SeedQR.entropy(of: mnemonic) }
            == .seedQRWordCount(split.count))
        continue
      }
      seen.insert(split.count)
      let digits = text(try SeedQR.digits(of: mnemonic))
      let expected = split.map { word in
        let index = String(words.firstIndex(of: word) ?? -1)
        return String(repeating: "0", count: 4 - index.count) + index
      }
      #expect(digits == expected.joined())
      #expect(try read(Array(digits.utf8)) == vector.mnemonic)
      #expect(try read(Array("  \(digits)\r\n".utf8)) == vector.mnemonic)
      let entropy = bytes(try SeedQR.entropy(of: mnemonic))
      #expect(ASCII.hex(entropy) == vector.entropy)
      #expect(try read(entropy) == vector.mnemonic)
    }
    #expect(seen == [12, 24])
  }

  @Test(arguments: [
    ("", WalletFormatError.empty), (String(repeating: "9", count: 48), .seedQRForm),
    (String(repeating: "0", count: 47), .seedQRForm),
    (String(repeating: "0", count: 60), .seedQRForm),
    (String(repeating: "0", count: 48), .mnemonicChecksum),
    (String(repeating: "x", count: 48), .seedQRForm),
    (String(repeating: "x", count: 17), .seedQRForm),
    (String(repeating: "0", count: 257), .tooLong(limit: 256)),
  ])
  func `What is no SeedQR is refused`(input: String, expected: WalletFormatError) {
    #expect(
      refusal { () throws(WalletFormatError) in _ = try read(Array(input.utf8)) } == expected)
  }

  @Test func `A code is as small as it can be`() throws {
    let sizes: [(Int, SeedQRCode.Mode, Int?)] = [
      (1, .numeric, 21), (41, .numeric, 21), (42, .numeric, 25), (48, .numeric, 25),
      (77, .numeric, 25), (78, .numeric, 29), (96, .numeric, 29), (127, .numeric, 29),
      (128, .numeric, nil), (16, .bytes, 21), (17, .bytes, 21), (18, .bytes, 25), (32, .bytes, 25),
      (33, .bytes, 29), (53, .bytes, 29), (54, .bytes, nil),
    ]
    for (count, mode, side) in sizes {
      let content = secret([UInt8](repeating: 0x37, count: count))
      let found: Int? =
        switch SeedQRCode(content, mode) {
        case nil: nil
        case .some(let code): code.side
        }
      #expect(found == side, "\(count) \(mode)")
    }
  }
}

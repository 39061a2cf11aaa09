import SecretMemory
import Testing

@testable import WalletFormats

/// Seeds of other kinds than BIP-39, by their published test vectors.
@Suite struct OtherSeedTests {
  struct Vector: Decodable, Sendable {
    let kind: String
    let text: String
  }

  static func vectors() throws -> [Vector] {
    try Vectors.decode("seeds/other.json", as: CaseFile<Vector>.self).cases
  }

  private func kind(_ text: String) -> String? {
    OtherSeed(recognising: secret(text)).map { "\($0)" }
  }

  @Test func `Each kind has its vectors`() throws {
    #expect(Set(try Self.vectors().map(\.kind)) == Set(OtherSeed.allCases.map { "\($0)" }))
  }

  @Test(arguments: try vectors())
  func `A seed is told by its checksum, and with a mistake it is not`(vector: Vector) throws {
    #expect(kind(vector.text) == vector.kind)
    #expect(kind(" " + vector.text.replacing(" ", with: "\r\n") + "\n") == vector.kind)
    #expect(kind(vector.text.uppercased()) == vector.kind)
    // No BIP-39 mnemonic is one of these.
    #expect(
      refusal { () throws(WalletFormatError) in _ = try Mnemonic(checking: secret(vector.text)) }
        != nil)
    var words = vector.text.split(separator: " ")
    if words.count == 1 {
      let wrong = vector.text.last == "w" ? "q" : "w"
      #expect(kind(String(vector.text.dropLast()) + wrong) == nil)
    } else {
      // Electrum's checksum fits one text in 217. These words do not fit it by chance.
      words.swapAt(1, 4)
      #expect(kind(words.joined(separator: " ")) == nil)
    }
  }

  @Test func `Shares one below the other, and extendable ones, are told`() throws {
    let shares = try Self.vectors().filter { $0.kind == "slip39" }.map(\.text)
    #expect(kind(shares[0] + "\n" + shares[1]) == "slip39")
    // Made with python-shamir-mnemonic 0.3.0.
    #expect(
      kind(
        "hormone kidney academic academic center intend saver petition romp expand dryer smirk "
          + "award estate sunlight deny mortgage custody rumor source") == "slip39")
  }

  @Test func `Several codex32 shares are told`() throws {
    let shares = try Self.vectors().filter { $0.kind == "codex32" }.map(\.text)
    for between in ["\n", " ", "\r\n\r\n"] {
      #expect(kind(shares.joined(separator: between)) == "codex32")
    }
    #expect(kind(shares[0] + "\n" + shares[1].dropLast()) == nil)
  }

  @Test func `Codex32 in groups is told`() {
    #expect(kind("ms10 test sxxx xxxx xxxx xxxx xxxx xxxx xxx4 nzvc a9cm czlw") == "codex32")
  }

  @Test func `Other texts are none of them`() throws {
    let repeated = Array(repeating: "abandon", count: 25).joined(separator: " ")
    for text in ["", "x", repeated, "ms1" + String(repeating: "q", count: 45)] {
      #expect(kind(text) == nil, "\(text)")
    }
    for phrase in try MnemonicTests.vectors() {
      #expect(kind(phrase).map { $0 == "electrum" } ?? true, "\(phrase)")
    }
  }

  @Test func `Words as PowerShell writes them are read`() throws {
    let phrase = try #require(try MnemonicTests.vectors().first)
    let units = [0xFEFF] + Array(phrase.utf16) + [0x0D, 0x0A]
    for isBig in [false, true] {
      let bytes = units.flatMap { unit -> [UInt8] in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return isBig ? [high, low] : [low, high]
      }
      #expect(try text(Mnemonic(checking: secret(bytes)).phrase) == phrase)
    }
  }
}

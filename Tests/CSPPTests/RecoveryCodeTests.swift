import SecretMemory
import Testing

@testable import CSPP

@Suite("Recovery codes")
struct RecoveryCodeTests {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  private func mistake(_ typed: String) -> RecoveryCode.Mistake? {
    do {
      _ = try RecoveryCode(parsing: secret(text: typed))
      return nil
    } catch {
      return error
    }
  }

  private func password(_ typed: String) throws -> String {
    try RecoveryCode(parsing: secret(text: typed)).password.text
  }

  /// The values of the 21 symbols.
  private func values(_ symbols: String) -> [Int] {
    symbols.map { symbol in Self.alphabet.firstIndex(of: symbol) ?? -1 }
  }

  /// Crockford's rule: the number modulo 37, in 128-bit arithmetic, which the product does not use.
  private func remainder(_ values: [Int]) -> Int {
    Int(values.prefix(20).reduce(UInt128(0)) { $0 << 5 | UInt128($1) } % 37)
  }

  @Test
  func `10,000 random codes round-trip; every single error and adjacent swap is caught`() throws {
    // A remainder is the sum of each value times its place's weight.
    let weights = (0..<20).map { place in
      var unit = [UInt8](repeating: 0, count: 20)
      unit[place] = 1
      return unsafe RecoveryCode.remainder(unit.span.bytes)
    }
    var seen: Set<String> = []
    var uncaught = 0
    for _ in 0..<10_000 {
      let code = RecoveryCode.random()
      let shown = code.grouped.text
      let symbols = shown.filter { $0 != "-" }
      let values = values(symbols)
      #expect(shown.count == 26 && values.count == 21 && !values.contains(-1))
      #expect(remainder(values) == values[20])
      #expect(try password(shown) == String(symbols.prefix(20)))
      seen.insert(symbols)
      // The check of a changed text, computed from the weights as in the parser.
      let check = values[20]
      for place in 0..<20 {
        for other in 0..<32 where other != values[place] {
          let changed = (check + (other - values[place] + 37) * weights[place]) % 37
          if changed == check { uncaught += 1 }
        }
      }
      for place in 0..<19 where values[place] != values[place + 1] {
        let difference = values[place + 1] - values[place] + 37
        let changed = (check + difference * (weights[place] + 37 - weights[place + 1])) % 37
        if changed == check { uncaught += 1 }
      }
      // The last character and the check symbol; the check symbol alone cannot fit twice.
      if values[19] != check, (check + (check - values[19] + 37) * weights[19]) % 37 == values[19] {
        uncaught += 1
      }
    }
    #expect(uncaught == 0)
    #expect(seen.count == 10_000)
  }

  @Test
  func `The parser refuses every one of them`() throws {
    let symbols = Array(RecoveryCode.random().grouped.text.filter { $0 != "-" })
    for place in symbols.indices {
      for other in Self.alphabet where other != symbols[place] {
        var changed = symbols
        changed[place] = other
        #expect(mistake(String(changed)) == .checkSymbol)
      }
      // A character that is only read as another symbol is corrected. Any other is caught.
      for (other, means) in ["O": "0", "o": "0", "I": "1", "i": "1", "L": "1", "l": "1"] {
        var changed = symbols
        changed[place] = Character(other)
        #expect((mistake(String(changed)) == nil) == (String(symbols[place]) == means))
      }
      for other in "Uu*~$=.é" {
        var changed = symbols
        changed[place] = other
        #expect(mistake(String(changed)) == .character(place + 1))
      }
      if place + 1 < symbols.count, symbols[place] != symbols[place + 1] {
        var changed = symbols
        changed.swapAt(place, place + 1)
        #expect(mistake(String(changed)) == .checkSymbol)
      }
      var fewer = symbols
      fewer.remove(at: place)
      #expect(mistake(String(fewer)) == .length(20))
      #expect(mistake(String(symbols[..<place] + "0" + symbols[place...])) == .length(22))
    }
  }

  @Test
  func `Case, groups, spaces and look-alikes do not count`() throws {
    let plain = "01ABCDEFGHJKMNPQRSVW"
    let code = plain + String(Self.alphabet[remainder(values(plain))])
    for typed in [
      code, code.lowercased(), "oL" + code.dropFirst(2), "Oi" + code.dropFirst(2),
      code.map { "\($0)-" }.joined(), " " + code + "\r\n", code.map { "\($0) " }.joined(),
    ] {
      #expect(try password(typed) == plain)
    }
    #expect(try RecoveryCode(parsing: secret(text: code)).grouped.text.hasPrefix("01AB-CDEF-GHJK-"))
    #expect(mistake("") == .length(0))
    #expect(mistake(String(repeating: "0", count: 300)) == .length(256))
    #expect(mistake(String(repeating: "0", count: 21)) == nil)
  }

  /// Word processors, web pages, phones and East Asian keyboards change what is typed.
  @Test
  func `Dashes, invisible characters and full-width letters are read`() throws {
    let plain = "01ABCDEFGHJKMNPQRSVW"
    let code = plain + String(Self.alphabet[remainder(values(plain))])
    let between = [
      "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2015}", "\u{2212}",
      "\u{FF0D}",
      "\u{FE63}", "\u{30FC}", "\u{AD}", "\u{A0}", "\u{202F}", "\u{2009}", "\u{3000}", "\u{200B}",
      "\u{200E}", "\u{2060}", "\u{FEFF}", "\n", "\r\n", "\u{2028}", " \u{2013} ",
    ]
    for separator in between {
      let groups = stride(from: 0, to: 21, by: 4).map { String(code.dropFirst($0).prefix(4)) }
      #expect(
        try password(groups.joined(separator: separator)) == plain, "\(separator.debugDescription)")
    }
    for text in [code, code.lowercased()] {
      let wide = text.unicodeScalars.map { Character(Unicode.Scalar($0.value + 0xFEE0)!) }
      #expect(try password(String(wide)) == plain)
    }
    // A full-width U, and what is not UTF-8, are still no symbols; each counts once.
    #expect(mistake("\u{FF35}" + code.dropFirst()) == .character(1))
    #expect(mistake("0é1") == .character(2) && mistake("😀01") == .character(1))
    for bytes in [[0xFF], [0xC0, 0x80], [0xE2, 0x80], [0xE2, 0x28]] as [[UInt8]] {
      var error: RecoveryCode.Mistake?
      do { _ = try RecoveryCode(parsing: secret(bytes + Array(code.utf8))) } catch let mistake {
        error = mistake
      }
      #expect(error == .character(1))
    }
  }

  @Test
  func `All symbols come up at all places, and no code would need * ~ $ = or U`() {
    var counts = [[Int]](repeating: [Int](repeating: 0, count: 32), count: 21)
    for _ in 0..<3200 {
      for (place, value) in values(RecoveryCode.random().grouped.text.filter { $0 != "-" })
        .enumerated()
      { counts[place][value] += 1 }
    }
    // Expected: 100. The chance of an accidental failure is 1 in 10^9.
    #expect(counts.joined().allSatisfy { (35...185).contains($0) })
  }
}

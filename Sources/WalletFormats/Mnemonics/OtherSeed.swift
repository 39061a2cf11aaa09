public import SecretMemory

/// A seed that is no BIP-39 mnemonic, recognised by its own format's checksum.
///
/// A checksum of Electrum's fits one in 216 texts by chance, Monero's fewer than one in a thousand.
/// The others fit one in a thousand million. So the caller first looks whether the words are BIP-39.
public enum OtherSeed: CaseIterable, Sendable {
  /// LND's 24 words (aezeed): BIP-39's list, with a CRC-32C.
  case aezeed
  /// A share of 20 to 33 words (SLIP-39).
  case slip39
  /// A secret or a share that begins with `ms1` (BIP-93), or Core Lightning's `cl1`.
  case codex32
  /// Monero's 25 words, or MyMonero's 13; the last repeats the one that their CRC-32 chooses.
  case monero
  /// Electrum's words, whose HMAC states their version.
  case electrum

  /// Recognises a seed as a person writes it down; `nil` for any other text, and for a seed with a
  /// mistake.
  ///
  /// - Parameter input: words, or characters, separated by white space of any kind.
  public init?(recognising input: borrowing SecretBytes) {
    let input = UTF8Text.decoded(input)
    guard let found = Self.allCases.first(where: { $0.fits(input) }) else { return nil }
    self = found
  }

  private func fits(_ input: borrowing SecretBytes) -> Bool {
    if self == .codex32 { return input.withBytes { Codex32.fits(severalIn: $0) } }
    switch try? Mnemonic.normalise(input) {
    case nil: return false
    case .some(let phrase): return fits(phrase: phrase, Mnemonic.countWords(phrase))
    }
  }

  private func fits(phrase: borrowing SecretBytes, _ wordCount: Int) -> Bool {
    switch self {
    case .electrum:
      return (12...25).contains(wordCount) && phrase.withBytes { Self.isElectrum($0) }
    case .aezeed: return wordCount == 24 && Self.isCipherSeed(phrase)
    case .slip39: return wordCount >= 20 && phrase.withBytes { Self.isShare($0) }
    case .monero:
      // Twenty-five words of BIP-39's list are more likely to be 24 with a passphrase.
      return [13, 25].contains(wordCount) && !Self.isListed(phrase, wordCount)
        && phrase.withBytes { words in
          [3, 4].contains { Self.isMonero(words, wordCount, prefix: $0) }
        }
    case .codex32: return false
    }
  }

  // MARK: Words

  /// Whether every word is in BIP-39's list.
  private static func isListed(_ phrase: borrowing SecretBytes, _ wordCount: Int) -> Bool {
    do throws(WalletFormatError) {
      _ = try Mnemonic.bits(of: phrase, wordCount: wordCount)
      return true
    } catch {
      return false
    }
  }

  /// Electrum's versions: 01 standard, 100 segwit, 101 and 102 the same with two factors.
  private static func isElectrum(_ phrase: RawSpan) -> Bool {
    let key = Array("Seed version".utf8)
    let code = unsafe HMACSHA512.code(for: phrase, key: key.span.bytes)
    return code.withBytes { code in
      code.byte(0) == 0x01 || code.byte(0) == 0x10 && code.byte(1) >> 4 <= 2
    }
  }

  /// Version 0, 28 bytes, and their CRC-32C.
  private static func isCipherSeed(_ phrase: borrowing SecretBytes) -> Bool {
    switch try? Mnemonic.bits(of: phrase, wordCount: 24) {
    case nil: return false
    case .some(let bits):
      return bits.withBytes { bits in
        let stated = (29..<33).reduce(UInt32(0)) { $0 << 8 | UInt32(bits.byte($1)) }
        return bits.byte(0) == 0 && CRC32.castagnoli.of(bits.extracting(0..<29)) == stated
      }
    }
  }

  /// Whether the words, or the first 20 or 33 of several shares, have the checksum RS1024.
  private static func isShare(_ phrase: RawSpan) -> Bool {
    var plain = RS1024("shamir")
    var extendable = RS1024("shamir_extendable")
    var start = 0
    var count = 0
    while start < phrase.byteCount {
      let word = self.word(at: start, in: phrase)
      guard word.count >= 4,
        let index = ShareWordList.index(
          of: word.prefix(4).reduce(0) { $0 << 8 | UInt32(phrase.byte($1)) })
      else { return false }
      plain.add(UInt32(index))
      extendable.add(UInt32(index))
      start = word.upperBound + 1
      count += 1
      let mayEnd = count == 20 || count == 33 || count > 20 && start >= phrase.byteCount
      if mayEnd, plain.isValid || extendable.isValid { return true }
    }
    return false
  }

  /// Whether a text is a SLIP-39 share of which a word is wrong: but for one, all are in its list.
  static func isDamagedShare(_ text: RawSpan) -> Bool {
    switch try? Mnemonic.normalise(SecretBytes(copying: text)) {
    case nil: return false
    case .some(let phrase):
      let count = Mnemonic.countWords(phrase)
      // BIP-39 has no such count, and few of its words begin like those of SLIP-39.
      guard [20, 33].contains(count) else { return false }
      return phrase.withBytes { phrase in
        var start = 0
        var listed = 0
        while start < phrase.byteCount {
          let word = word(at: start, in: phrase)
          let index =
            word.count < 4
            ? nil
            : ShareWordList.index(
              of: word.prefix(4).reduce(0) { $0 << 8 | UInt32(phrase.byte($1)) })
          if index != nil { listed += 1 }
          start = word.upperBound + 1
        }
        return listed >= count - 1
      }
    }
  }

  private static func isMonero(_ phrase: RawSpan, _ wordCount: Int, prefix: Int) -> Bool {
    var starts = SecretWriter(capacity: 128)
    var start = 0
    for _ in 1..<wordCount {
      let word = self.word(at: start, in: phrase)
      starts.raw(phrase.extracting(word.prefix(prefix)))
      start = word.upperBound + 1
    }
    var chosen = Int(starts.withBytes { CRC32.common.of($0) } % UInt32(wordCount - 1))
    let last = phrase.extracting(word(at: start, in: phrase).prefix(prefix))
    start = 0
    while chosen > 0 {
      start = word(at: start, in: phrase).upperBound + 1
      chosen -= 1
    }
    let repeated = phrase.extracting(word(at: start, in: phrase).prefix(prefix))
    return repeated.byteCount == last.byteCount
      && (0..<last.byteCount).allSatisfy { repeated.byte($0) == last.byte($0) }
  }

  /// The range of the word that begins at `start`.
  private static func word(at start: Int, in phrase: RawSpan) -> Range<Int> {
    var end = start
    while end < phrase.byteCount, phrase.byte(end) != 0x20 { end += 1 }
    return start..<end
  }
}

/// The checksum of SLIP-39: a Reed-Solomon code over GF(1024).
private struct RS1024 {
  private var remainder: UInt32 = 1
  private static let generator: [UInt32] = [
    0x00E0_E040, 0x01C1_C080, 0x0383_8100, 0x0707_0200, 0x0E0E_0009,
    0x1C0C_2412, 0x3808_6C24, 0x3090_FC48, 0x21B1_F890, 0x03F3_F120,
  ]

  /// - Parameter customization: the text that is fed before the words.
  init(_ customization: String) {
    for byte in customization.utf8 { add(UInt32(byte)) }
  }

  mutating func add(_ value: UInt32) {
    let top = remainder >> 20
    remainder = (remainder & 0xF_FFFF) << 10 ^ value
    for bit in 0..<10 { remainder ^= Self.generator[bit] & (0 &- (top >> UInt32(bit) & 1)) }
  }

  var isValid: Bool { remainder == 1 }
}

/// The checksums of codex32 (BIP-93): BCH codes over GF(32), one for short and one for long strings.
private struct Codex32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  private let size: UInt128
  private let generator: [UInt128]
  private let expected: UInt128
  private var remainder: UInt128 = 1

  private init(isLong: Bool) {
    size = isLong ? 75 : 65
    generator =
      isLong
      ? [
        0x3d5_9d27_3535_ea62_d897, 0x7a9_becb_6361_c6c5_1507, 0x543_f9b7_e6c3_8d8a_2a0e,
        0x0c5_77ea_eccf_1990_d13c, 0x188_7f74_f8dc_71b1_0651,
      ]
      : [
        0x1_9dc5_00ce_73fd_e210, 0x1_bfae_00de_f77f_e529, 0x1_fbd9_20ff_fe7b_ee52,
        0x1_7396_40bd_eee3_fdad, 0x0_7729_a039_cfc7_5f5a,
      ]
    expected = isLong ? 0x433_81e5_70bf_4798_ab26 : 0x1_0ce0_795c_2fd1_e62a
  }

  private mutating func add(_ value: UInt8) {
    let top = remainder >> (size - 5)
    remainder = (remainder & (1 << (size - 5) - 1)) << 5 ^ UInt128(value)
    for bit in 0..<5 where top >> UInt128(bit) & 1 == 1 { remainder ^= generator[bit] }
  }

  /// Whether a text is codex32, or several, one a line or with a space between them.
  static func fits(severalIn text: RawSpan) -> Bool {
    if fits(text) { return true }
    return [true, false].contains { isByLine in
      var start = 0
      var count = 0
      for end in 0...text.byteCount {
        let isEnd =
          end == text.byteCount
          || (isByLine ? text.byte(end) == 0x0A : ASCII.isSpace(text.byte(end)))
        guard isEnd else { continue }
        let part = text.extracting(start..<end)
        start = end + 1
        if ASCII.trimmed(part).isEmpty { continue }
        guard fits(part) else { return false }
        count += 1
      }
      return count > 0
    }
  }

  /// Whether a text is codex32; white space and hyphens in it do not count.
  static func fits(_ text: RawSpan) -> Bool {
    let count = (0..<text.byteCount).count { !isBetween(text.byte($0)) }
    guard (48...127).contains(count) else { return false }
    var code = Codex32(isLong: count > 96)
    var place = 0
    var prefix: [UInt8] = []
    for offset in 0..<text.byteCount where !isBetween(text.byte(offset)) {
      let byte = text.byte(offset)
      let small = ASCII.isLetter(byte) ? byte | 0x20 : byte
      place += 1
      if place <= 3 {
        prefix.append(small)
        guard place == 3 else { continue }
        guard prefix == Array("ms1".utf8) || prefix == Array("cl1".utf8) else { return false }
        // The expanded prefix, as in BIP-173.
        for letter in prefix.dropLast() { code.add(letter >> 5) }
        code.add(0)
        for letter in prefix.dropLast() { code.add(letter & 31) }
      } else {
        guard let value = alphabet.firstIndex(of: small) else { return false }
        code.add(UInt8(value))
      }
    }
    return code.remainder == code.expected
  }

  private static func isBetween(_ byte: UInt8) -> Bool {
    ASCII.isSpace(byte) || byte == UInt8(ascii: "-")
  }
}

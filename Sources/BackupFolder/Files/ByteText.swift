/// Compares bytes with text without creating a string.
extension Span<UInt8> {
  /// Whether the bytes begin with an ASCII text.
  func starts(with text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for place in 0..<text.count where unsafe self[place] != text[place] { return false }
      return true
    }
  }

  /// Whether the bytes are an ASCII text.
  func isEqual(to text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && starts(with: text)
  }

  /// Whether the bytes end with an ASCII text.
  func ends(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && extracting(droppingFirst: count - text.utf8CodeUnitCount).starts(with: text)
  }
}

/// Reads identifiers in lower-case hexadecimal without a string or an array for each: a folder may
/// list a million.
extension Span<UInt8> {
  /// The 8 bytes that the 16 digits from `start` encode; nil for other text.
  fileprivate func hexWord(at start: Int) -> UInt64? {
    var word: UInt64 = 0
    for place in start..<start + 16 {
      let byte = self[place]
      let digit = byte &- 48 < 10 ? byte &- 48 : byte &- 97 < 6 ? byte &- 87 : 255
      if digit == 255 { return nil }
      word = word &<< 4 | UInt64(digit)
    }
    return word
  }
}

extension SIMD2<UInt64> {
  /// The 16 bytes that 32 digits encode; nil for other text.
  init?(hexDigits text: Span<UInt8>) {
    guard text.count == 32, let x = text.hexWord(at: 0), let y = text.hexWord(at: 16) else {
      return nil
    }
    self.init(x, y)
  }
}

extension SIMD4<UInt64> {
  /// The 32 bytes that 64 digits encode; nil for other text.
  init?(hexDigits text: Span<UInt8>) {
    guard text.count == 64, let x = text.hexWord(at: 0), let y = text.hexWord(at: 16),
      let z = text.hexWord(at: 32), let w = text.hexWord(at: 48)
    else { return nil }
    self.init(x, y, z, w)
  }
}

extension [UInt8] {
  mutating func append(hexOf words: SIMD2<UInt64>) {
    append(hexOf: words.x)
    append(hexOf: words.y)
  }

  mutating func append(hexOf words: SIMD4<UInt64>) {
    append(hexOf: words.x)
    append(hexOf: words.y)
    append(hexOf: words.z)
    append(hexOf: words.w)
  }

  private mutating func append(hexOf word: UInt64) {
    var rest = word
    for _ in 0..<16 {
      let digit = UInt8(truncatingIfNeeded: rest &>> 60)
      append(digit < 10 ? digit &+ 48 : digit &+ 87)
      rest &<<= 4
    }
  }
}

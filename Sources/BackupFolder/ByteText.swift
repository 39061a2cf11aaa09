/// Comparing bytes with text, without making a string of them.
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

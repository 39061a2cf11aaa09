/// A reason why bytes are not what somebody meant to write as text.
public enum TextFlaw: Equatable, Sendable {
  /// A control character: Tab, Escape, a zero byte. Arrow keys and Delete send some.
  case controlCharacter
  /// A character that shows nothing, such as a zero-width space or a byte order mark.
  case invisibleCharacter
  /// A space of another kind than the space bar's stands at the beginning or end.
  case spaceAtEdge
  /// The bytes are not UTF-8.
  case notUTF8
}

extension SecretBytes {
  /// The first flaw of these bytes as a text that a person types or keeps in a file.
  ///
  /// - Parameter allowsTabs: whether a Tab between words is white space.
  /// - Returns: nil: they have none.
  public func textFlaw(allowsTabs: Bool = false) -> TextFlaw? {
    unsafe withUnsafeBytes { bytes in
      let bytes = unsafe bytes.assumingMemoryBound(to: UInt8.self)
      guard let text = try? unsafe UTF8Span(validating: bytes.span) else { return .notUTF8 }
      var scalars = text.makeUnicodeScalarIterator()
      var last: Unicode.Scalar?
      while let scalar = scalars.next() {
        // What joins or marks characters needs one before it.
        if last == nil, scalar.properties.generalCategory == .format { return .invisibleCharacter }
        last = scalar
        if allowsTabs, scalar == "\t" { continue }
        if let flaw = Self.flaw(scalar) { return flaw }
      }
      return last.map(Self.joiners.contains) == true ? .invisibleCharacter : nil
    }
  }

  /// The first flaw of these bytes as a PIN: nobody begins or ends one with what is not seen.
  ///
  /// - Returns: nil: they have none.
  public func pinFlaw() -> TextFlaw? {
    if let flaw = textFlaw() { return flaw }
    return unsafe withUnsafeBytes { bytes in
      let bytes = unsafe bytes.assumingMemoryBound(to: UInt8.self)
      guard let text = try? unsafe UTF8Span(validating: bytes.span) else { return .notUTF8 }
      var scalars = text.makeUnicodeScalarIterator()
      guard let first = scalars.next() else { return nil }
      var (before, last) = (nil as Unicode.Scalar?, first)
      while let scalar = scalars.next() { (before, last) = (last, scalar) }
      if Self.isUnusualSpace(first) || Self.isUnusualSpace(last) { return .spaceAtEdge }
      let isHidden =
        first.properties.isDefaultIgnorableCodePoint
        || (last.properties.isDefaultIgnorableCodePoint && !Self.isMark(last, behind: before))
      return isHidden ? .invisibleCharacter : nil
    }
  }

  /// Whether the first or the last byte is a space, as of the space bar.
  public var hasSpaceAtEdge: Bool {
    withBytes { bytes in
      func isSpace(_ place: Int) -> Bool {
        unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self) == 0x20
      }
      return !bytes.isEmpty && (isSpace(0) || isSpace(bytes.byteCount - 1))
    }
  }

  private static func isUnusualSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .spaceSeparator && scalar != " "
  }

  /// Whether it changes the look of the character before it, as emoji have at their end.
  private static func isMark(_ scalar: Unicode.Scalar, behind before: Unicode.Scalar?) -> Bool {
    guard let before, !before.isASCII else { return false }
    return scalar.properties.isVariationSelector || (0xE0020...0xE007F).contains(scalar.value)
  }

  private static let joiners: [Unicode.Scalar] = ["\u{200C}", "\u{200D}"]

  private static func flaw(_ scalar: Unicode.Scalar) -> TextFlaw? {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: .controlCharacter
    // Joiners and tags are parts of visible characters: scripts and emoji need them.
    case .format where !joiners.contains(scalar) && scalar.value < 0xE0000:
      .invisibleCharacter
    default: nil
    }
  }
}

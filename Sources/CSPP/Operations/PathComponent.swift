/// A name that can stand for one file or folder on any disk, even if a stranger chose it.
///
/// It has 1 to 255 bytes of UTF-8, is not `.` or `..`, and has no `/` and no control character
/// (U+0000 to U+001F, U+007F to U+009F).
public struct PathComponent: Hashable, Sendable, CustomStringConvertible {
  /// The most bytes of UTF-8, as file systems have it.
  public static let byteLimit = 255

  /// The name.
  public let text: String

  /// Creates a name; nil for a text that is none.
  public init?(_ text: String) {
    guard (1...Self.byteLimit).contains(text.utf8.count), text != ".", text != ".." else {
      return nil
    }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0...0x1F, 0x7F...0x9F, 0x2F: return nil
      default: continue
      }
    }
    self.text = text
  }

  /// The name.
  public var description: String { text }

  /// Whether both names have the same bytes.
  ///
  /// To a disk, one letter in two compositions gives two names.
  public static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Adds the bytes of the name.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension JSONValue {
  /// The name in this string.
  package func component(_ field: StaticString, in text: RawSpan) throws(CSPPError) -> PathComponent
  {
    guard let component = PathComponent(try self.text(field, in: text)) else {
      throw .invalidField(field.description)
    }
    return component
  }
}

internal import SecretMemory

/// A page with a secret in it, put together in guarded memory.
struct PageText: ~Copyable {
  private var bytes = SecretBytes(zeroed: 64 * 1024)
  private var filled = 0

  /// Adds markup as it is.
  mutating func append(_ markup: String) {
    var markup = markup
    markup.withUTF8 { text in
      let place = grow(by: text.count)
      unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[place...])
          .copyMemory(from: UnsafeRawBufferPointer(text))
      }
    }
  }

  /// Adds text that may hold anything.
  mutating func append(escaping text: String) { append(Self.escape(text)) }

  /// Most characters of a text that may hold anything.
  private static let limit = 2000

  /// Adds text whose words are not broken, as a browser would behind a hyphen;
  /// but for those that fill a line.
  mutating func append(unbroken text: String) {
    for (index, word) in text.split(separator: " ").enumerated() {
      if index > 0 { append(" ") }
      if word.contains("-"), word.count <= 102 {
        append("<span class=\"word\">")
        append(escaping: String(word))
        append("</span>")
      } else {
        append(escaping: String(word))
      }
    }
  }

  /// Adds a secret that is made of letters, digits and hyphens.
  mutating func append(_ secret: borrowing SecretBytes) {
    let place = grow(by: secret.count)
    unsafe bytes.withUnsafeMutableBytes { bytes in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[place...])
      unsafe secret.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
    }
  }

  /// The page; the value is used up.
  consuming func finish() -> SecretBytes {
    bytes.resize(to: filled)
    return bytes
  }

  /// Text as it may stand in an element or an attribute.
  static func escape(_ text: String) -> String {
    PrintableText.clean(text, limit: limit)
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }

  private mutating func grow(by count: Int) -> Int {
    defer { filled += count }
    bytes.resize(to: filled)
    bytes.reserve(filled + count)
    bytes.resize(to: filled + count)
    return filled
  }
}

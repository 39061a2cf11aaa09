package import SecretMemory

/// A page with a secret in it, put together in guarded memory.
package struct PageText: ~Copyable {
  private var writer = SecretWriter(capacity: 64 * 1024)

  package init() {}

  /// Adds markup as it is.
  package mutating func append(_ markup: String) { writer.raw(markup) }

  /// Adds text that may hold anything.
  package mutating func append(escaping text: String) { append(Self.escape(text)) }

  /// Most characters of a text that may hold anything.
  private static let limit = 2000

  /// Adds text whose words are not broken, as a browser would behind a hyphen;
  /// but for those that fill a line.
  package mutating func append(unbroken text: String) {
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
  package mutating func append(_ secret: borrowing SecretBytes) {
    secret.withBytes { writer.raw($0) }
  }

  /// The page; the value is used up.
  package consuming func finish() -> SecretBytes { writer.finish() }

  /// Text as it may stand in an element or an attribute.
  package static func escape(_ text: String) -> String {
    PrintableText.clean(text, limit: limit)
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}

package import SecretMemory

extension TextFlaw {
  /// The flaw, after the name of the text.
  package var words: String {
    switch self {
    case .controlCharacter:
      "has a control character in it: Tab, Delete, an arrow key or a key with Ctrl leaves one"
    case .invisibleCharacter:
      "has an invisible character in it, such as a zero-width space that was copied along"
    case .spaceAtEdge:
      "begins or ends with a no-break space or another unusual space, perhaps copied along"
    case .notUTF8: "is not UTF-8 text"
    }
  }
}

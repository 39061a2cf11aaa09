/// Messages that a person must not miss: the last that a command shows, below its result.
private struct ClosingWords {
  var messages: [UserMessage] = []
}

extension Run {
  /// Keeps a message until the command's result was shown; once, however often it is added.
  package func close(with message: UserMessage) {
    with(ClosingWords()) { if !$0.messages.contains(message) { $0.messages.append(message) } }
  }

  /// The messages that were kept.
  func takeClosingWords() -> [UserMessage] {
    with(ClosingWords()) { words in
      defer { words.messages = [] }
      return words.messages
    }
  }
}

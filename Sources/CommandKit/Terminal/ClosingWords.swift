internal import Synchronization

/// Messages that a person must not miss: the last that a command shows, below its result.
package enum ClosingWords {
  private static let kept = Mutex<[UserMessage]>([])

  /// Keeps a message until the command's result was shown; once, however often it is added.
  package static func add(_ message: UserMessage) {
    kept.withLock { if !$0.contains(message) { $0.append(message) } }
  }

  /// Shows what was kept.
  package static func tell(_ output: Output) {
    let messages = kept.withLock { words in
      defer { words = [] }
      return words
    }
    for message in messages { output.warn(message) }
  }
}

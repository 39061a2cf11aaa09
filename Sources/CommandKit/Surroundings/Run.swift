internal import Synchronization

/// What one run of a command gathers, for its own words and its end.
///
/// Main makes it, and hands it on in ``World`` and ``Output``. All that the run does at once shares it.
package final class Run: Sendable {
  private struct Gathered {
    var folder: String?
    var others = OtherBackups()
    var closingWords: [UserMessage] = []
    var settings: [String: SettingsFile] = [:]
  }

  /// The secrets that a person typed on the command line, where none belongs.
  package let typed: TypedSecrets
  private let gathered: Mutex<Gathered>
  /// Whether no more events are written. Writing one may take a while.
  private let hasEndedEvents = Mutex(false)

  /// Starts a run.
  ///
  /// - Parameter arguments: the command line, without the program's name.
  package init(_ arguments: [String] = []) {
    typed = TypedSecrets(arguments)
    var start = Gathered()
    start.folder = Self.folder(in: arguments)
    gathered = Mutex(start)
  }

  /// The folder that commands in texts have to name; nil: the program finds it.
  package var folder: String? {
    get { gathered.withLock { $0.folder } }
    set { gathered.withLock { $0.folder = newValue } }
  }

  /// The other backups that the command found.
  package var others: OtherBackups {
    get { gathered.withLock { $0.others } }
    set { gathered.withLock { $0.others = newValue } }
  }

  /// Keeps a message that a person must not miss until the command's result was shown; once, however
  /// often it is added.
  package func close(with message: UserMessage) {
    gathered.withLock { if !$0.closingWords.contains(message) { $0.closingWords.append(message) } }
  }

  /// The messages that are the last which a command shows, below its result.
  package func takeClosingWords() -> [UserMessage] {
    gathered.withLock { gathered in
      defer { gathered.closingWords = [] }
      return gathered.closingWords
    }
  }

  /// The settings file of a path: read once, so that one value is in force from beginning to end.
  func settings(_ path: String, _ read: () -> SettingsFile) -> SettingsFile {
    if let known = gathered.withLock({ $0.settings[path] }) { return known }
    let file = read()
    gathered.withLock { $0.settings[path] = file }
    return file
  }

  /// Writes an event, unless the stream has ended: because of an error, or a stuck reader.
  ///
  /// The lock keeps lines whole.
  ///
  /// - Parameter write: writes it; returns whether the stream goes on.
  func writeEvent(_ write: () -> Bool) {
    hasEndedEvents.withLock { ended in
      if !ended { ended = !write() }
    }
  }

  /// The folder that a command line names.
  private static func folder(in arguments: [String]) -> String? {
    var named: String?
    for (place, argument) in arguments.enumerated() {
      if argument == "--" { break }
      if argument == "--folder" { named = arguments.dropFirst(place + 1).first }
      if argument.hasPrefix("--folder=") { named = String(argument.dropFirst(9)) }
    }
    return named
  }
}

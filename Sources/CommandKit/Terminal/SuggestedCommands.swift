internal import CommandSupport

/// The commands that texts suggest: they name the folder where this one had to name it, so that
/// they do the same as they stand.
package enum SuggestedCommands {
  /// Commands that take a folder, with what may follow their first word.
  private static let commands: [String: Set<String>] = [
    "status": [], "verify": [], "restore": [], "rotate": [], "unlock": [], "lock": [],
    "doctor": [], "derive": [], "config": ["show"],
    "key": ["list", "add", "remove", "identify", "label", "repair"],
    "wallet": ["add", "list", "show", "history", "keep", "remove", "import", "export"],
    "recovery-kit": ["create", "test", "revoke"], "conflicts": ["list", "keep"],
    "writers": ["request", "authorise", "accept", "list", "retire"],
    "file": ["add", "list", "history", "show", "restore", "keep", "remove", "prune", "watch"],
    "nostr": ["create", "pubkey", "derive", "sign", "export", "list", "save"],
    "guard": ["add", "status", "renew", "retire", "reset", "veto"],
  ]

  /// Words of a line whose command is for another computer, where the folder has another path.
  private static let elsewhere = [
    "the other computer", "on another computer:", "that computer", "where your key is",
    "where the backup can be opened", "name none:",
  ]

  /// The text, with the folder in each command that takes one.
  package static func completed(_ text: String, _ run: Run) -> String {
    run.folder.map { completed(text, folder: $0) } ?? text
  }

  /// The text, with a folder in each command that takes one.
  package static func completed(_ text: String, folder: String) -> String {
    guard text.contains("keybackup ") else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let isElsewhere = elsewhere.contains { line.lowercased().contains($0) }
      return isElsewhere
        ? String(line) : completed(line: String(line), "--folder " + ShellWord.quoted(folder))
    }.joined(separator: "\n")
  }

  /// The message, with the folder in each command that takes one.
  package static func completed(_ message: UserMessage, _ run: Run) -> UserMessage {
    var message = message
    message.message = completed(message.message, run)
    message.hint = message.hint.map { completed($0, run) }
    return message
  }

  private static func completed(line: String, _ option: String) -> String {
    var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var place = 0
    while place < words.count {
      defer { place += 1 }
      // A name in quotes is no command, whatever it says.
      if let end = Wrapping.quotation(words, from: place) {
        place = end - 1
        continue
      }
      guard words[place].drop(while: { $0 == "(" }) == "keybackup", place + 1 < words.count,
        let verbs = commands[Wrapping.core(words[place + 1])]
      else { continue }
      var last = place + 1
      if !verbs.isEmpty {
        guard last + 1 < words.count, Wrapping.core(words[last]) == words[last],
          verbs.contains(Wrapping.core(words[last + 1]))
        else { continue }
        last += 1
      }
      let rest = words[(last + 1)...].prefix { !$0.hasSuffix("keybackup") }
      if rest.contains("--folder") { continue }
      let word = Wrapping.core(words[last])
      words[last] = word + " " + option + words[last].dropFirst(word.count)
    }
    return words.joined(separator: " ")
  }
}

/// The folder that commands in texts have to name.
private struct FolderInUse {
  var path: String?
}

extension Run {
  /// The folder that has to be named each time; nil: the program finds it.
  package var folder: String? {
    get { with(FolderInUse()) { $0.path } }
    set { with(FolderInUse()) { $0.path = newValue } }
  }

  /// Notes the folder that the command line names, once it was read without a mistake.
  func noteFolder() {
    for (place, argument) in arguments.enumerated() {
      if argument == "--" { return }
      if argument.hasPrefix("--folder=") { folder = String(argument.dropFirst(9)) }
      // Behind an option that takes a value, it is that value.
      if argument == "--folder", let next = arguments.dropFirst(place + 1).first,
        !next.hasPrefix("-")
      {
        folder = next
      }
    }
  }
}

internal import ArgumentParser
internal import HelpPages

/// What is wrong with a command line that could not be read, and what to type instead.
enum UsageMistake {
  /// The message about a command line.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - root: the program itself.
  ///   - parser: what the parser says of them.
  /// - Returns: a usage error. It may repeat a secret that was typed.
  static func message(
    _ arguments: [String], _ root: any ParsableCommand.Type, parser: String
  ) -> UserMessage {
    let path = CommandPath(root, arguments)
    if let word = path.unknownCommand {
      return unknownCommand(word, path)
    }
    let help = "run: \(path.text) --help"
    guard parser.hasPrefix("Unknown option"), let option = unknownOption(path) else {
      return UserMessage(.usage, inHelpsWords(parser), hint: help)
    }
    if path.isGroup {
      return UserMessage(.usage, "\(path.text) needs a command before '\(option)'", hint: help)
    }
    let known = options(of: path)
    return UserMessage(
      .usage,
      "\(path.text) has no option '\(option)'"
        + Proposal.sentence(Proposal.nearest(option, among: known)).afterStop,
      hint: help)
  }

  /// The message about a word that names no command.
  ///
  /// - Parameters:
  ///   - word: the word.
  ///   - path: the commands before it.
  /// - Returns: a usage error.
  static func unknownCommand(_ word: String, _ path: CommandPath) -> UserMessage {
    let group = path.names.isEmpty ? "" : " in \(path.text)"
    let near = Proposal.commands(like: word, in: path.type)
    return UserMessage(
      .usage, "No command '\(word)'\(group)" + Proposal.sentence(near).afterStop,
      hint: "run: \(path.text) --help")
  }

  /// What is missing, as a page of help writes it: `--salt SALT`, not `--salt <salt>`.
  private static func inHelpsWords(_ parser: String) -> String {
    guard parser.hasPrefix("Missing") else { return parser }
    var result = ""
    for (index, part) in parser.split(separator: "<", omittingEmptySubsequences: false).enumerated()
    {
      let name = index == 0 ? "" : part.prefix { $0 != ">" }
      result += name.uppercased() + part.dropFirst(name.isEmpty ? 0 : name.count + 1)
    }
    return result
  }

  private static func unknownOption(_ path: CommandPath) -> String? {
    let known = Set(options(of: path))
    return path.rest.prefix { $0 != "--" }.compactMap { argument in
      argument.hasPrefix("-") && argument != "-"
        ? argument.split(separator: "=").first.map(String.init) : nil
    }.first { !known.contains($0) }
  }

  private static func options(of path: CommandPath) -> [String] {
    guard !path.isGroup else { return [] }
    let arguments = HelpRequest.definition(of: path.type).arguments ?? []
    return arguments.flatMap { ($0.names ?? []).map(\.text) } + ["--version"]
  }
}

extension String {
  /// A further sentence, behind the full stop of the one before.
  fileprivate var afterStop: String { isEmpty ? "" : "." + self }
}

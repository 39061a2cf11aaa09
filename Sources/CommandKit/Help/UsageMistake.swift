package import ArgumentParser
internal import CommandSupport
internal import HelpPages

/// The mistake in a command line that could not be read, and the correction.
package enum UsageMistake {
  /// The message about a command line.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - root: the program itself.
  ///   - parser: what the parser says of them.
  /// - Returns: a usage error. It may repeat a secret that was typed.
  package static func message(
    _ arguments: [String], _ root: any ParsableCommand.Type, parser: String
  ) -> UserMessage {
    let path = CommandPath(root, arguments)
    if let word = path.unknownCommand {
      return unknownCommand(word, path)
    }
    let help = "run: \(path.text) --help"
    if path.names.first == "pin", parser.contains("nexpected argument") { return TypedPIN.message }
    let known = options(of: path)
    func isRefused(_ option: String) -> Bool { parser.contains("is invalid for '\(option)") }
    if let option = known.first(where: { $0.hasSuffix("-fd") && isRefused($0) }) {
      return UserMessage(.usage, "The value of '\(option)' is not a descriptor", hint: help)
    }
    // A required option is missing too where its name is mistyped.
    let isMissing = parser.hasPrefix("Missing expected")
    guard parser.hasPrefix("Unknown option") || isMissing, let option = unknownOption(path),
      !isMissing || option.hasPrefix("--")
    else {
      let isOptionBehind = path.rest.drop { $0 != "--" }.dropFirst().contains { $0.hasPrefix("-") }
      let isUnexpected = isOptionBehind && parser.contains("nexpected argument")
      return UserMessage(
        .usage, inHelpsWords(parser),
        hint: (isUnexpected ? "after -- nothing is an option\n" : namesFolder(path, parser))
          + (isMissing ? unknownOption(path).map { dashedWord(path, $0) } ?? "" : "") + help)
    }
    let near = Proposal.nearest(option, among: known)
    let shown = near.isEmpty ? firstLetter(option, known) : option
    if path.isGroup {
      return UserMessage(.usage, "\(path.text) needs a command before '\(shown)'", hint: help)
    }
    return UserMessage(
      .usage, "\(path.text) has no option '\(shown)'" + Proposal.sentence(near).afterStop,
      hint: dashedWord(path, option) + help)
  }

  /// Advice about a name or path that may have been taken for an option.
  private static func dashedWord(_ path: CommandPath, _ option: String) -> String {
    let takesWord = (HelpRequest.definition(of: path.type).arguments ?? [])
      .contains { $0.kind == .positional }
    guard takesWord, !option.hasPrefix("--"),
      let place = path.rest.firstIndex(where: { $0.hasPrefix(option) })
    else { return "" }
    // Options behind the words go before them.
    let behind = path.rest[place...].dropFirst().filter { $0 != "--" }
    let following = behind.prefix { !$0.hasPrefix("-") }
    let words =
      path.rest[..<place].filter { $0 != "--" } + behind.dropFirst(following.count)
      + ["--", path.rest[place]] + following
    return "if it is a name or path, put -- before it: \(path.text) "
      + words.map { ShellWord.quoted($0) }.joined(separator: " ") + "\n"
  }

  /// Advice where a path was given to a command that takes none.
  private static func namesFolder(_ path: CommandPath, _ parser: String) -> String {
    guard parser.contains("nexpected argument") else { return "" }
    let definition = HelpRequest.definition(of: path.type).arguments ?? []
    let takesFolder = definition.contains { ($0.names ?? []).map(\.text).contains("--folder") }
    let takesWord = definition.contains { $0.kind == .positional }
    if takesWord { return "a name or path with a space in it goes in quotes\n" }
    return takesFolder ? "to name the folder: --folder PATH\n" : ""
  }

  /// The letter that is no option, of several after one dash: the others may be a secret.
  private static func firstLetter(_ option: String, _ known: [String]) -> String {
    let letters = option.dropFirst()
    // Digits alone are hidden elsewhere, with more to say.
    guard !option.hasPrefix("--"), letters.dropFirst().contains(where: { !$0.isNumber }) else {
      return option
    }
    return letters.map { "-\($0)" }.first { !known.contains($0) } ?? option
  }

  /// The message about `--version` after a command that has no such option.
  package static func versionAfterCommand(_ path: CommandPath) -> UserMessage {
    let isKeep = path.names.last == "keep"
    return UserMessage(
      .usage, "\(path.text) has no option '--version'",
      hint: (isKeep ? "the version goes without it: \(path.text) WALLET VERSION\n" : "")
        + "for the program's version: keybackup --version\nrun: \(path.text) --help")
  }

  /// The message about a word that names no command.
  ///
  /// - Parameters:
  ///   - word: the word.
  ///   - path: the commands before it.
  /// - Returns: a usage error.
  package static func unknownCommand(_ word: String, _ path: CommandPath) -> UserMessage {
    let group = path.names.isEmpty ? "" : " in \(path.text)"
    let meant = MeantCommand.of(word, path.names)
    if let explanation = meant?.explanation { return explanation }
    let near = meant?.proposals ?? Proposal.commands(like: word, in: path.type)
    // It may be a PIN.
    let isPIN = path.names.first == "pin"
    if isPIN, near.isEmpty { return TypedPIN.message }
    // Anything else may be a secret.
    let isWord = word.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 }
    let isRepeated = !isPIN && !near.isEmpty && isWord
    let missing = isRepeated ? "No command '\(word)'\(group)" : "\(path.text) has no such command"
    return UserMessage(
      .usage, missing + Proposal.sentence(near).afterStop,
      hint: "run: \(path.text) --help")
  }

  /// The missing part, as a page of help writes it: `--salt SALT`, not `--salt <salt>`.
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

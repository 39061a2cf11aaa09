package import ArgumentParser
package import HelpPages

/// The page of help that a command line asks for.
package enum HelpRequest {
  /// A command's page, or a group's.
  case command(CommandPath)
  /// The options that most commands share.
  case options

  /// Reads `help` as the first word, `--help` and `-h` anywhere before `--`, and a group alone;
  /// nil where no help is asked for.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - root: the program itself.
  package init?(_ arguments: [String], _ root: any ParsableCommand.Type) {
    if arguments.first == "help" {
      let words = arguments.dropFirst().filter { !$0.hasPrefix("-") }
      self = words == ["options"] ? .options : .command(CommandPath(root, words))
      return
    }
    let path = CommandPath(root, arguments)
    guard Self.isAsked(path) || (path.isGroup && path.rest.isEmpty) else { return nil }
    self = .command(path)
  }

  private static func isAsked(_ path: CommandPath) -> Bool {
    let words = path.rest.prefix { $0 != "--" }
    guard let place = words.firstIndex(where: { ["-h", "--help"].contains($0) }) else {
      return false
    }
    // Behind an option it may be that option's value: describing a command takes a while.
    let isBehindOption = words.indices.contains(place - 1) && words[place - 1].hasPrefix("--")
    if path.isGroup || words[place] == "--help" || !isBehindOption { return true }
    return definition(of: path.type).asksForHelp(Array(words))
  }

  /// The page.
  ///
  /// - Parameters:
  ///   - shared: the options that most commands share.
  ///   - width: most characters in a line.
  ///   - isBold: whether headings are bold.
  /// - Returns: its text, with line ends.
  package func page(
    sharing shared: any ParsableArguments.Type, width: Int, isBold: Bool
  ) -> String {
    // Not for a group's page, which shows no options: describing them takes a while.
    func common() -> CommonOptionList {
      CommonOptionList(sharing: shared)
    }
    switch self {
    case .options:
      return HelpPage(common: common(), width: width, isBold: isBold).text
    case .command(let path):
      if path.isGroup {
        return HelpPage(
          group: Self.outline(of: path.type), at: path.names, width: width, isBold: isBold
        ).text
      }
      return HelpPage(
        Self.definition(of: path.type), at: path.names, common: common(), width: width,
        isBold: isBold
      ).text
    }
  }

  /// How wide a page is on a screen: longer lines are hard to read, shorter ones have no room for
  /// two columns.
  package static func width(on screen: Screen) -> Int { min(max(screen.width ?? 80, 40), 100) }

  /// A command with its options, as the parser describes it.
  package static func definition(of command: any ParsableCommand.Type) -> DefinedCommand {
    DefinedCommand.reading(dump: command._dumpHelp()) ?? outline(of: command)
  }

  /// A command and those below it, without their options: describing these takes a while.
  private static func outline(of command: any ParsableCommand.Type) -> DefinedCommand {
    let configuration = command.configuration
    // No key paths here: of types they crash the compiler.
    var below: [DefinedCommand] = []
    for next in configuration.subcommands where next.configuration.shouldDisplay {
      below.append(outline(of: next))
    }
    return DefinedCommand(
      commandName: configuration.commandName ?? "", abstract: configuration.abstract,
      discussion: configuration.discussion, subcommands: below)
  }
}

extension CommonOptionList {
  /// The options that most commands share, as the parser describes them.
  package init(sharing options: any ParsableArguments.Type) {
    self.init(
      DefinedCommand.reading(dump: options._dumpHelp())
        ?? DefinedCommand(commandName: "", abstract: nil, discussion: nil, subcommands: []))
  }
}

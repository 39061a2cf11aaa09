/// A page of help, for a screen of some width.
package struct HelpPage {
  /// Most characters in a line.
  private let width: Int
  /// Whether headings are bold.
  private let isBold: Bool
  private var lines: [String] = []

  private init(width: Int, isBold: Bool) {
    self.width = width
    self.isBold = isBold
  }

  /// The page as it is printed.
  package var text: String { lines.joined(separator: "\n") + "\n" }

  /// Where the shared options are explained: the last line of every command's page.
  package static let commonOptions = "Common options: keybackup help options"

  // MARK: Kinds of pages

  /// The page of a command that does something.
  ///
  /// - Parameters:
  ///   - command: its definition, with its options.
  ///   - path: its words after `keybackup`.
  ///   - common: the options that are left out.
  ///   - width: most characters in a line.
  ///   - isBold: whether headings are bold.
  package init(
    _ command: DefinedCommand, at path: [String], common: CommonOptionList, width: Int,
    isBold: Bool
  ) {
    self.init(width: width, isBold: isBold)
    let own = command.ownArguments(besides: common, at: path)
    paragraph(command.abstract)
    usage(command.usage(at: path, own))
    paragraph(command.paragraphs.first)
    let column = WrappedText.column(for: own.map(\.usage), width: width)
    section("Required:", own.filter { !$0.isOptional }, column)
    section("Options:", own.filter(\.isOptional), column)
    examples(at: path)
    if let part = common.part(takenBy: command) {
      lines += WrappedText.lines(
        "Takes these common options: " + part.joined(separator: ", "), width: width, hanging: 2)
    }
    lines.append(Self.commonOptions)
  }

  /// The page of a command that has others below it.
  ///
  /// - Parameters:
  ///   - group: its definition.
  ///   - path: its words after `keybackup`; none for the program itself.
  ///   - width: most characters in a line.
  ///   - isBold: whether headings are bold.
  package init(group: DefinedCommand, at path: [String], width: Int, isBold: Bool) {
    self.init(width: width, isBold: isBold)
    paragraph(group.abstract)
    usage((["keybackup"] + path + ["COMMAND", "[options]"]).joined(separator: " "))
    paragraph(group.paragraphs.first)
    let commands = group.subcommands ?? []
    if path.isEmpty {
      for topic in Topic.all {
        list(topic.title, commands.filter { topic.commands.contains($0.commandName) })
      }
      list(
        "Others",
        commands.filter { command in
          !Topic.all.contains { $0.commands.contains(command.commandName) }
        })
    } else {
      list("Commands", commands)
    }
    lines.append("")
    examples(at: path)
    let words = (["keybackup"] + path).joined(separator: " ")
    // A manual page covers all that is below one noun.
    let name = (["keybackup"] + path.prefix(1)).joined(separator: "-")
    // The server keybackup-guard has a page of that name in section 8.
    let manual = path.first == "guard" ? "1 " + name : name
    lines += WrappedText.lines(
      "One command: \(words) COMMAND --help. Manual page: man \(manual)", width: width, hanging: 2)
    lines.append(Self.commonOptions)
  }

  /// The page of the options that most commands share.
  ///
  /// - Parameters:
  ///   - common: these options.
  ///   - width: most characters in a line.
  ///   - isBold: whether headings are bold.
  package init(common: CommonOptionList, width: Int, isBold: Bool) {
    self.init(width: width, isBold: isBold)
    paragraph(
      "Options that most commands share. A command takes all of them, unless its own page lists "
        + "those that it takes.")
    // One column for all sections.
    let column = WrappedText.column(
      for: common.sections.flatMap(\.options).map(\.usage), width: width)
    for section in common.sections {
      lines.append(heading(section.title + ":"))
      lines += WrappedText.columns(
        section.options.map { ($0.usage, $0.explanation) }, width: width, column: column)
    }
    lines.append("")
    lines.append("A PIN or code is never typed on the command line.")
    lines.append("Variables and settings: man 5 keybackup")
  }

  // MARK: Parts

  private func heading(_ text: String) -> String { isBold ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  private mutating func paragraph(_ text: String?) {
    guard let text, !text.isEmpty else { return }
    lines += WrappedText.lines(text, width: width) + [""]
  }

  private mutating func usage(_ text: String) {
    var usage = WrappedText.lines("Usage: " + text, width: width, hanging: 9)
    usage[0] = heading("Usage:") + usage[0].dropFirst("Usage:".count)
    lines += usage + [""]
  }

  private mutating func section(
    _ title: String, _ arguments: [DefinedArgument], _ column: Int
  ) {
    guard !arguments.isEmpty else { return }
    lines.append(heading(title))
    lines += WrappedText.columns(
      arguments.map { ($0.usage, $0.explanation) }, width: width, column: column)
    lines.append("")
  }

  private mutating func list(_ title: String, _ commands: [DefinedCommand]) {
    guard !commands.isEmpty else { return }
    lines.append(heading(title + ":"))
    // One column for all lists of a page.
    lines += WrappedText.columns(
      commands.map { ($0.commandName, $0.abstract ?? "") }, width: width, column: 12)
  }

  private mutating func examples(at path: [String]) {
    let examples = Example.of(path)
    guard !examples.isEmpty else { return }
    lines.append(heading("Examples:"))
    for example in examples {
      lines += WrappedText.lines(example.purpose + ":", width: width, indent: 2)
      lines += WrappedText.lines(
        example.command, width: width, indent: 4, hanging: 8, ending: " \\")
    }
    lines.append("")
  }
}

extension DefinedCommand {
  /// The options and arguments of this command alone: the required ones first.
  ///
  /// - Parameters:
  ///   - common: the options that most commands share. Some commands live by one of those; it
  ///     is among their own then.
  ///   - path: the words after `keybackup`.
  /// - Returns: those of its page.
  package func ownArguments(
    besides common: CommonOptionList, at path: [String]
  ) -> [DefinedArgument] {
    let name = path.joined(separator: " ")
    // The longest page has no room for both.
    let featured =
      (Topic.featured[name] ?? [])
      + (name == "wallet export" ? ["folder"] : Topic.featuredEverywhere)
    let own = (arguments ?? []).filter { argument in
      argument.shouldDisplay && (!common.contains(argument) || featured.contains(argument.id))
    }
    return own.filter { !$0.isOptional && $0.kind == .positional }
      + own.filter { !$0.isOptional && $0.kind != .positional }
      + own.filter { $0.isOptional && $0.kind == .positional }
      + own.filter { $0.isOptional && $0.kind != .positional && !common.contains($0) }
      + own.filter { $0.isOptional && $0.kind != .positional && common.contains($0) }
  }

  /// One line that shows how the command is written.
  ///
  /// - Parameters:
  ///   - path: the words after `keybackup`.
  ///   - own: its own arguments.
  /// - Returns: the line.
  package func usage(at path: [String], _ own: [DefinedArgument]) -> String {
    var words = ["keybackup"] + path
    for argument in own {
      switch (argument.isOptional, argument.kind) {
      case (false, _): words.append(argument.usage)
      case (true, .positional): words.append("[\(argument.usage)]")
      case (true, _): break
      }
    }
    return (words + ["[options]"]).joined(separator: " ")
  }
}

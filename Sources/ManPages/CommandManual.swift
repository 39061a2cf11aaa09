internal import HelpPages

/// The manual pages of commands.
struct CommandManual {
  /// The program, with everything below it.
  let root: DefinedCommand
  /// Version and date.
  let release: Release
  private let common: CommonOptionList

  /// Takes the program's definitions.
  ///
  /// - Returns: nil where the command is missing that the shared options are taken from.
  init?(_ root: DefinedCommand, _ release: Release) {
    guard let reference = root.command(at: CommonOptionList.reference) else { return nil }
    self.root = root
    self.release = release
    common = CommonOptionList(reference)
  }

  /// The commands below the program, without its help.
  private var commands: [DefinedCommand] {
    (root.subcommands ?? []).filter { $0.commandName != "help" }
  }

  /// Every page, by the name of its file.
  var pages: [(file: String, text: String)] {
    [("keybackup.1", programPage)]
      + commands.map { ("keybackup-\($0.commandName).1", page(of: $0)) }
  }

  // MARK: A noun, or a verb without one

  private func page(of command: DefinedCommand) -> String {
    let name = "keybackup-\(command.commandName)"
    var page = Roff(name, section: 1, release)
    page.name(name, command.abstract)
    let leaves = leaves(of: command)
    page.section("Synopsis")
    for (index, leaf) in leaves.enumerated() {
      if index > 0 { page.line(".br") }
      page.line(synopsis(leaf))
    }
    page.section("Description")
    if leaves.count > 1 || leaves.first?.path.count != 1 {
      page.paragraph(command.abstract ?? "")
      for paragraph in command.paragraphs { page.paragraph(paragraph) }
      for leaf in leaves {
        page.subsection(leaf.title)
        page.describe(leaf.command)
      }
    } else {
      page.describe(command)
    }
    options(leaves, into: &page)
    page.section("Examples")
    for leaf in leaves { page.examples(Example.of(leaf.path)) }
    page.endings(environment: Variable.all.filter(\.isOftenUsed))
    page.section("Exit status")
    page.paragraph(
      "0 is success; every other code is a failure. keybackup(1) lists the codes. "
        + ExitStatus.unknown)
    let others = commands.map { "keybackup-\($0.commandName)(1)" }.filter { $0 != name + "(1)" }
    page.seeAlso(["keybackup(1)", "keybackup(5)", "keybackup-format(7)"] + others)
    return page.source
  }

  private func options(_ leaves: [Leaf], into page: inout Roff) {
    page.section("Options")
    for leaf in leaves {
      page.subsection(leaf.title)
      let own = leaf.command.ownArguments(besides: common, at: leaf.path)
      for argument in own { page.item(term(argument), text(argument)) }
      let names = shared(leaf, without: own).map { "--" + $0.id }
      page.paragraph(
        (own.isEmpty ? "It has no options of its own. " : "")
          + "It takes these common options: " + names.joined(separator: ", ") + ".")
    }
    page.subsection("Common options")
    let taken = Set(
      leaves.flatMap { leaf in
        shared(leaf, without: leaf.command.ownArguments(besides: common, at: leaf.path)).map(\.id)
      })
    for option in common.sections.flatMap(\.options) where taken.contains(option.id) {
      page.item(term(option), text(option))
    }
  }

  /// The shared options that a command takes, in their order.
  private func shared(_ leaf: Leaf, without own: [DefinedArgument]) -> [DefinedArgument] {
    let taken = Set(
      (leaf.command.arguments ?? []).filter { $0.shouldDisplay && common.contains($0) }.map(\.id)
    ).subtracting(own.filter { $0.kind != .positional }.map(\.id))
    return common.sections.flatMap(\.options).filter { taken.contains($0.id) }
  }

  // MARK: The program

  private var programPage: String {
    var page = Roff("keybackup", section: 1, release)
    page.name("keybackup", root.abstract)
    page.section("Synopsis")
    page.line(
      Roff.bold("keybackup") + " " + Roff.placeholder("COMMAND") + " ["
        + Roff.placeholder("options") + "]")
    page.line(".br")
    page.line(
      Roff.bold("keybackup help") + " [" + Roff.placeholder("COMMAND") + " | "
        + Roff.bold("options") + "]")
    page.section("Description")
    page.paragraph(
      "keybackup keeps an encrypted backup of bitcoin wallets in any synced folder. A touch of "
        + "your FIDO2 security key opens it.")
    page.paragraph(
      "The key needs hmac-secret and a PIN. Enrol a second key or print a recovery kit: without "
        + "either, a lost key is a lost backup.")
    for topic in Topic.all {
      let here = commands.filter { topic.commands.contains($0.commandName) }
      list(here, topic.title, into: &page)
    }
    list(
      commands.filter { command in
        !Topic.all.contains { $0.commands.contains(command.commandName) }
      }, "Others", into: &page)
    page.section("Options")
    page.paragraph(
      "Most commands share these. A command takes all of them, unless its own page lists those "
        + "that it takes.")
    for section in common.sections {
      page.subsection(section.title)
      for option in section.options { page.item(term(option), text(option)) }
    }
    page.section("Examples")
    page.examples(
      [["init"], ["wallet", "add"], ["key", "add"], ["recovery-kit", "create"], ["status"]]
        .compactMap { Example.of($0).first })
    page.endings(environment: Variable.all.filter(\.isOftenUsed))
    page.section("Exit status")
    for status in ExitStatus.all {
      page.item(
        Roff.bold("\(status.code)") + (status.word.isEmpty ? "" : " " + status.word), status.text)
    }
    page.paragraph(
      "With --json the word is the error's code. Numbers and words do not change. "
        + ExitStatus.unknown)
    page.seeAlso(
      ["keybackup(5)", "keybackup-format(7)"]
        + commands.map { "keybackup-\($0.commandName)(1)" })
    return page.source
  }

  private func list(_ commands: [DefinedCommand], _ title: String, into page: inout Roff) {
    guard !commands.isEmpty else { return }
    page.subsection(title)
    for command in commands {
      page.item(
        Roff.bold("keybackup-\(command.commandName)") + "(1)", command.abstract ?? "")
    }
  }

  // MARK: Parts

  /// A command that does something.
  private struct Leaf {
    let command: DefinedCommand
    let path: [String]

    var title: String { (["keybackup"] + path).joined(separator: " ") }
  }

  private func leaves(of command: DefinedCommand, below path: [String] = []) -> [Leaf] {
    let here = path + [command.commandName]
    guard let subcommands = command.subcommands, !subcommands.isEmpty else {
      return [Leaf(command: command, path: here)]
    }
    return subcommands.flatMap { leaves(of: $0, below: here) }
  }

  private func synopsis(_ leaf: Leaf) -> String {
    var words = [Roff.bold(leaf.title)]
    for argument in leaf.command.ownArguments(besides: common, at: leaf.path) {
      switch (argument.isOptional, argument.kind) {
      case (false, _): words.append(term(argument))
      case (true, .positional): words.append("[\(term(argument))]")
      case (true, _): break
      }
    }
    return (words + ["[\(Roff.placeholder("options"))]"]).joined(separator: " ")
  }

  private func term(_ argument: DefinedArgument) -> String {
    let value = Roff.placeholder(argument.value)
    if argument.kind == .positional { return value }
    let names = (argument.names ?? []).sorted { $0.name.count < $1.name.count }
      .map { Roff.bold($0.text) }.joined(separator: ", ")
    return argument.kind == .flag ? names : names + " " + value
  }

  private func text(_ argument: DefinedArgument) -> String {
    (argument.isOptional ? "" : "Required. ") + argument.explanation
  }
}

extension Roff {
  /// The section that indexes of manual pages are made from.
  mutating func name(_ name: String, _ abstract: String?) {
    section("Name")
    var words = abstract ?? ""
    if words.hasSuffix(".") { words.removeLast() }
    // A name in capitals stays one.
    let isName = words.dropFirst().first?.isUppercase ?? false
    let text = isName ? words : words.prefix(1).lowercased() + words.dropFirst()
    line(Self.escape(code: name) + " \\- " + Self.prose(text))
  }

  /// Describes a command.
  mutating func describe(_ command: DefinedCommand) {
    paragraph(command.abstract ?? "")
    for text in command.paragraphs { paragraph(text) }
  }

  /// Command lines, each below its purpose.
  mutating func examples(_ examples: [Example]) {
    for example in examples {
      paragraph(example.purpose + ":")
      code(WrappedText.lines(example.command, width: 68, hanging: 4, ending: " \\"))
    }
  }

  /// The files, and variables.
  mutating func endings(environment: [Variable]) {
    section("Files")
    for file in NamedFile.all { item(Self.placeholder(file.path), file.text) }
    section("Environment")
    for variable in environment { item(Self.bold(variable.name), variable.text) }
    paragraph("keybackup(5) lists every variable.")
  }

  /// Other pages.
  mutating func seeAlso(_ pages: [String]) {
    section("See also")
    line(
      pages.map { page in
        let name = page.prefix { $0 != "(" }
        return Self.bold(String(name)) + page.dropFirst(name.count)
      }.joined(separator: ", "))
  }
}

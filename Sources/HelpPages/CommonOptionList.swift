/// The options that most commands share: those of a command that opens the backup and has no
/// option of its own.
package struct CommonOptionList: Sendable {
  /// A command that takes all of them and nothing else.
  package static let reference = ["wallet", "list"]

  /// Some of them, under one heading.
  package struct Section: Sendable {
    /// The heading.
    package let title: String
    /// The options below it.
    package var options: [DefinedArgument]
  }

  /// All of them, in the order of their declaration.
  package let sections: [Section]

  /// Takes the options of the reference command.
  ///
  /// - Parameter reference: the definition of ``reference``.
  package init(_ reference: DefinedCommand) {
    var sections: [Section] = []
    for option in reference.arguments ?? [] where option.shouldDisplay {
      let title = option.sectionTitle ?? "Other"
      if let index = sections.firstIndex(where: { $0.title == title }) {
        sections[index].options.append(option)
      } else {
        sections.append(Section(title: title, options: [option]))
      }
    }
    self.sections = sections
  }

  /// Whether a command's option is one of these: it has the same name and explanation.
  package func contains(_ option: DefinedArgument) -> Bool {
    // Every command has them, also where the reference's definition does not say so.
    if option.kind == .flag, ["help", "version"].contains(option.id) { return true }
    return sections.contains { section in
      section.options.contains {
        $0.kind == option.kind && $0.id == option.id && $0.abstract == option.abstract
      }
    }
  }

  /// Which of these a command takes.
  ///
  /// - Parameter command: its definition.
  /// - Returns: their names as they are typed; nil where it takes all of them.
  package func part(takenBy command: DefinedCommand) -> [String]? {
    let all = sections.flatMap(\.options).map(\.id).filter { !["help", "version"].contains($0) }
    let taken = Set((command.arguments ?? []).filter(contains).map(\.id))
    return taken.isSuperset(of: all) ? nil : all.filter(taken.contains).map { "--" + $0 }
  }
}

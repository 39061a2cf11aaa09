package import ArgumentParser

/// The file of the backup that a command is about.
package struct FileArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The file's name, COMPUTER/NAME or ID.", valueName: "name"))
  package var name: String

  package init() {}

  package mutating func validate() throws {
    if let problem = FileSelector.problem(name) { throw ValidationError(problem) }
  }
}

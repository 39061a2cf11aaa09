internal import ArgumentParser

/// The file of the backup that a command is about.
struct FileArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The file's name, COMPUTER/NAME or ID.", valueName: "name"))
  var name: String

  mutating func validate() throws {
    if let problem = FileSelector.problem(name) { throw ValidationError(problem) }
  }
}

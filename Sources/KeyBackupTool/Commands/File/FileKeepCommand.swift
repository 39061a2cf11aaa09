internal import ArgumentParser
internal import BackupFolder
internal import CSPP

/// `keybackup file keep`: decides for one version of a file.
struct FileKeepCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Make one version of a file the current one.",
    discussion: """
      This ends a conflict, accepts a version of a retired computer, and brings back a replaced or \
      removed one. The other versions stay in the file's history.
      """)

  @OptionGroup var unlock: UnlockOptions

  @OptionGroup var named: FileArgument

  @Argument(help: ArgumentHelp("The version, from file history.", valueName: "version"))
  var version: String

  @OptionGroup var gaps: GapOption

  mutating func validate() throws {
    if let problem = FileSelector.versionProblem(version) { throw ValidationError(problem) }
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    var opened = try await unlock.open(world, for: .writing)
    let file = try FileSelector.only(opened.allFiles(), named.name)
    let chosen = try FileSelector.only(file, version: version)
    try Interruption.check()
    let isChange = chosen.standing != .live || file.isConflicted
    if isChange {
      do throws(BackupFolderError) {
        try opened.choose(chosen, despiteGaps: gaps.despiteGaps)
      } catch {
        throw gaps.explained(error)
      }
    }
    opened.rememberFiles(world)
    let shown = PrintableText.name(chosen.name.text)
    try unlock.output(world).result(
      isChange
        ? "Version \(chosen.shortName) of \"\(shown)\" counts again, as a new version, saved here and checked."
        : "Version \(chosen.shortName) of \"\(shown)\" is the current one already.",
      json: [
        "file_id": .string(file.id.hex), "name": .string(chosen.name.text),
        "computer": .optional(chosen.label?.text),
        "version": .string(chosen.operation.digest.hex), "changed": .bool(isChange),
      ], ofChange: "version \(chosen.shortName) was kept all the same")
    return .success
  }
}

package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup file keep`: decides for one version of a file.
package struct FileKeepCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Make one version of a file the current one.",
    discussion: """
      This ends a conflict, accepts a version of a retired computer, and brings back a replaced or \
      removed one. Keeping the current version refuses what is held back. The other versions stay in \
      the file's history.
      """)

  @OptionGroup var unlock: UnlockOptions

  @OptionGroup var named: FileArgument

  @Argument(help: ArgumentHelp("The version, from file history.", valueName: "version"))
  var version: String

  @OptionGroup var gaps: GapOption

  package init() {}

  package mutating func validate() throws {
    if let problem = FileSelector.versionProblem(version) { throw ValidationError(problem) }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world, for: .writing)
    let file = try FileSelector.only(
      opened.namedFiles(), named.name, retired: opened.retiredKeys)
    let chosen = try FileSelector.only(file, version: version)
    try Interruption.check()
    let isChange: Bool
    do throws(BackupFolderError) {
      isChange = try opened.choose(chosen, despiteGaps: gaps.despiteGaps)
    } catch {
      throw gaps.explained(error)
    }
    opened.rememberFiles(world)
    let output = unlock.output(world)
    try output.result(
      Self.outcome(of: chosen, isChange: isChange),
      json: [
        "file_id": .string(file.id.hex), "name": .string(chosen.name.text),
        "computer": .optional(chosen.label?.text),
        "version": .string(chosen.operation.digest.hex), "changed": .bool(isChange),
      ], ofChange: "version \(chosen.shortName) was kept all the same")
    if isChange, !unlock.common.json {
      let all = (try? opened.allFiles()) ?? []
      if let after = all.first(where: { $0.id == file.id }) {
        let id = FileSelector.id(of: file, among: all)
        Self.note(what: after, before: file, chosen, named: id, output)
      }
    }
    return .success
  }

  private static func outcome(of chosen: StoredVersion, isChange: Bool) -> String {
    let version = "Version \(chosen.shortName) of \"\(PrintableText.name(chosen.name.text))\""
    return switch chosen.standing {
    case _ where !isChange: "\(version) is the current one already."
    case .live: "\(version) is the current one, saved here and checked."
    case .heldBack, .late: "\(version) counts now, as a new version, saved here and checked."
    case .replaced, .removed:
      "\(version) counts again, as a new version, saved here and checked."
    }
  }

  /// Says what became of the versions that were held back, and what still has to be decided.
  private static func note(
    what after: BackedUpFile, before: BackedUpFile, _ chosen: StoredVersion, named id: String,
    _ output: Output
  ) {
    if let current = after.live.first, !after.isConflicted,
      current.operation.digest != chosen.operation.digest
    {
      output.note("It is version \(current.shortName) now. The earlier ID still finds it.")
    }
    let accepted = chosen.standing == .heldBack ? 1 : 0
    let refused = before.heldBack.count - after.heldBack.count - accepted
    if refused > 0 {
      output.note(
        "Refused \(counted(refused, "version")) of a retired computer. The file's history keeps "
          + (refused == 1 ? "it." : "them."))
    }
    if after.isConflicted {
      output.warn(
        "It is in conflict with \(counted(Set(after.live.map(\.content)).count - 1, "other version")). "
          + "To choose one: keybackup file keep \(id) VERSION")
    } else if !after.heldBack.isEmpty, let current = after.live.first {
      output.note(
        "Held back still: \(counted(after.heldBack.count, "version")). To refuse what is held back, "
          + "keep the current version: keybackup file keep \(id) "
          + current.shortName)
    }
  }
}

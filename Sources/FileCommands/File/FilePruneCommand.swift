package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup file prune`: gives old versions of large files up.
package struct FilePruneCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Give up old versions of large files, to free space.",
    discussion: """
      A version goes if it has more than 64 KiB, enough newer ones, and was replaced 7 days ago. The \
      days are counted on this computer, at most one between two runs. The current version always \
      stays.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Option(help: ArgumentHelp("Newer versions that stay (default: 10).", valueName: "n"))
  var keep: Int?

  @OptionGroup var gaps: GapOption

  package init() {}

  package mutating func validate() throws {
    if let keep, !(1...1_000_000).contains(keep) {
      throw ValidationError("--keep takes 1 to 1000000")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world, for: .writing)
    try Interruption.check()
    let pruned: PrunedVersions
    do throws(BackupFolderError) {
      pruned = try opened.pruneFiles(keeping: keep ?? 10, despiteGaps: gaps.despiteGaps)
    } catch {
      throw gaps.explained(error)
    }
    opened.rememberFiles(world)
    try unlock.output(world).result(
      pruned.versions == 0
        ? "No version is old enough to be given up."
        : "Gave up \(counted(pruned.versions, "version")); \(PrintableSize.text(pruned.bytes)) are free.",
      json: [
        "dropped": .number(pruned.versions), "objects": .number(pruned.objects),
        "bytes": .number(Int(clamping: pruned.bytes)),
      ],
      ofChange: pruned.versions == 0
        ? "no version was given up" : "the versions were given up all the same")
    return .success
  }
}

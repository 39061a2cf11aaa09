internal import ArgumentParser
internal import BackupFolder
internal import CSPP

/// `keybackup key repair`: the files of the ways in are as the log says.
struct KeyRepairCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Write again what is lost or damaged of the ways in.",
    discussion: """
      Every command that changes the backup does the same; this one does nothing else. It also \
      completes a rotation, and deletes files of removed keys that came back.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var envelope: EnvelopeOptions

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let backup = try await unlock.backup(world, for: .writing)
    var opened = try await backup.unlock(unlock, world, UnlockTerms(needsWayIn: true))
    do throws(BackupFolderError) {
      try opened.repairWaysIn(replacingForeignEnvelope: envelope.replaceCsppEnvelope)
      if let problem = opened.viewProblem { throw problem }
    } catch {
      throw UserMessage(error)
    }
    try unlock.output.result(
      "The ways in are as the log says.",
      json: ["removed": .array(opened.finishedRotations.sorted().map { .string($0.hex) })],
      ofChange: "the ways in were repaired all the same")
    unlock.output.note(rotationsOf: opened)
    return .success
  }
}

/// What becomes of a CSPP envelope that fits no enrolled key.
struct EnvelopeOptions: ParsableArguments {
  @Flag(help: "Replace the file of another CSPP program that fits no enrolled key.")
  var replaceCsppEnvelope = false
}

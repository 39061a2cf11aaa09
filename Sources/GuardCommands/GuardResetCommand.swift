package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import SecurityKeys
internal import Unlocking

/// `keybackup guard reset`: gives all tries of a PIN back.
package struct GuardResetCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Get all tries of a PIN with guards back.",
    discussion: """
      You type the PIN, which costs a try at some of the guards. Every restore with the PIN \
      does the same at the end.
      Use it after a guard was not reached.
      """)

  @OptionGroup var unlock: UnlockOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var unlock = unlock
    if !unlock.guards.usesPIN { unlock.guards.guardPin = true }
    let backup = try await unlock.backup(world)
    var request = UnlockRequest(backup, unlock, world, UnlockTerms())
    let opened = try GuardedPINOpening.run(&request)
    let output = unlock.output(world)
    for line in GuardReset.lines(opened.notReset) { output.warn(line) }
    let all = opened.survey.seats.count
    let done = all - opened.notReset.count
    try output.result(
      "All tries are back at \(done) of \(counted(all, "guard")).",
      json: [
        "key_id": .optional(opened.slot.keyID?.hex), "tries_left": .number(opened.survey.triesLeft),
        "guards": .array(opened.survey.seats.map(\.json)),
        "failed": .array(opened.notReset.map { .string($0.server.guardID.hex) }),
      ], ofChange: "the tries are back all the same")
    return opened.notReset.isEmpty ? .success : .partial
  }
}

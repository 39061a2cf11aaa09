package import ArgumentParser
internal import BackupCommands
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import SecurityKeys
internal import Unlocking

/// `keybackup guard retire`: ends accounts at guards.
package struct GuardRetireCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "End a way in with guards, and its accounts at them.",
    discussion: """
      Another way in opens the backup first. A way in that is named is removed from the backup.
      Without a name, this ends accounts that no way in uses any more, such as those of an \
      earlier PIN. Accounts of the last day stay where this computer does not know their way in: \
      another one may be making it.
      A guard that was not reached keeps its account until you run this again.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp("The way in: its label, its ID or the start of it.", valueName: "key"))
  var key: String?

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  package init() {}

  package mutating func validate() throws {
    if let key, let problem = KeySlotSelector.problem(key) { throw ValidationError(problem) }
    if key == nil { try GivenOptions(["--yes": yes]).refuse(without: "a way in's name") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing, using: GuardOptions.own)
    var terms = UnlockTerms()
    var meant: KeySlot?
    if let key {
      let slots = try backup.allKeySlots().filter(\.isGuarded)
      meant = try KeySlotSelector.group(key, slots).first
      try confirm(meant, world)
      terms.except = Set([meant?.keyID].compactMap { $0 })
      terms.needsKeySlot = true
      terms.purpose = .removing
    }
    let caller = try GuardCaller(unlock.guards.addresses, unlock.common, world)
    var opened = try await backup.unlock(unlock, world, terms, orElse: "nothing was ended")
    if let meant, let id = meant.keyID {
      try KeySlotSelector.requireSame([meant], in: opened)
      do throws(BackupFolderError) {
        try opened.removeKeySlots([id])
      } catch {
        throw UserMessage(error)
      }
      unlock.output(world).warn(viewProblem: opened.viewProblem)
    }
    let draft = try GuardDraft.waiting(opened.sharedMasterKey.copy(), world)?.keyID
    var left = try GuardRetirement.leftOver(opened, unlock.guards, draft: draft, world)
    if let id = meant?.keyID { left = left.filter { $0.keyID == id } }
    let retirement = GuardRetirement(
      caller: caller, output: unlock.output(world), world: world)
    let report = try retirement.run(left)
    let text =
      meant.map { "Removed \"\(KeySlotSelector.shown($0))\". " } ?? ""
    try unlock.output(world).result(
      text + "Retired \(counted(report.done.count, "account")) at guards.",
      json: report.json.merging(["removed": .optional(meant?.keyID?.hex)]),
      ofChange: "the accounts were retired all the same")
    return report.failed.isEmpty ? .success : .partial
  }

  private func confirm(_ meant: KeySlot?, _ world: World) throws(UserMessage) {
    guard let meant, !yes else { return }
    let prompter = unlock.common.prompter(world)
    guard prompter.canAsk else {
      throw UserMessage(.usage, "nobody can be asked whether to end the way in", hint: "add --yes")
    }
    guard
      try prompter.confirm(
        "End \"\(KeySlotSelector.shown(meant))\"? It will no longer open this backup, nor older copies "
          + "of the folder.")
    else { throw UserMessage(.denied, "not confirmed; nothing was ended") }
  }
}

internal import ArgumentParser
internal import BackupFolder
internal import CSPP

/// `keybackup key remove`: a key slot is one no more.
struct KeyRemoveCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a way into the backup.",
    discussion: """
      Another way in opens the backup first, which proves that one is left. Anyone with the \
      removed key can still open older copies of the folder.
      From such a copy they can also read what is added later under the same master key. \
      Only keybackup rotate --master-key ends that.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp("The way in: its label, its ID or the start of it.", valueName: "key"))
  var key: String

  @Flag(help: "Remove the last one: then nobody can open the backup.")
  var last = false

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  mutating func validate() throws {
    if let problem = KeySlotSelector.problem(key) { throw ValidationError(problem) }
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let backup = try await unlock.backup(world, for: .writing)
    let slots = try backup.allKeySlots()
    var meant = try KeySlotSelector.group(key, slots)
    var ids = Set(meant.compactMap(\.keyID))
    let others = slots.filter { slot in
      !slot.isRemoved && slot.keyID.map { !ids.contains($0) } ?? true
    }
    // Guards alone are no way into a backup.
    if others.allSatisfy(\.isGuarded), !last { throw UserMessage(BackupFolderError.lastKeySlot) }
    // A file that nobody here knows to be enrolled is no other key slot for certain.
    let isLast = last && !others.contains { $0.isEnrolled == true && !$0.isGuarded }
    try confirm(meant, isLast: isLast, guarded: others.contains(where: \.isGuarded), world)
    var terms = UnlockTerms(needsKeySlot: true)
    if !isLast {
      terms.except = ids
      terms.purpose = .removing
    }
    var opened = try await backup.unlock(unlock, world, terms, orElse: "nothing was removed")
    meant = try backup.only(meant, of: opened)
    ids = Set(meant.compactMap(\.keyID))
    try KeySlotSelector.requireSame(meant, in: opened)
    let freed: [UInt8]?
    do throws(BackupFolderError) {
      freed = try opened.allKeySlots().credentialFreed(byRemoving: ids)
      try opened.removeKeySlots(ids, allowingLast: last)
    } catch {
      throw UserMessage(error)
    }
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    try unlock.output(world).result(
      "Removed \"\(KeySlotSelector.shown(meant[0]))\".",
      json: [
        "key_ids": .array(ids.sorted().map { .string($0.hex) }),
        "label": .string(meant[0].label),
      ], ofChange: "the way in was removed all the same")
    if !unlock.common.json { advise(freed, world) }
    return .success
  }

  /// Asks whether to remove a way in.
  ///
  /// - Parameters:
  ///   - meant: its key slots.
  ///   - isLast: whether no other stays that needs no guards.
  ///   - guarded: whether one that needs guards stays.
  ///   - world: whom to ask.
  /// - Throws: `denied`.
  private func confirm(
    _ meant: [KeySlot], isLast: Bool, guarded: Bool, _ world: World
  ) throws(UserMessage) {
    if yes { return }
    let prompter = unlock.common.prompter(world)
    guard prompter.canAsk else {
      throw UserMessage(
        .usage, "nobody can be asked whether to remove the way in", hint: "add --yes")
    }
    let name = KeySlotSelector.shown(meant[0])
    let question =
      isLast
      ? guarded
        ? "\"\(name)\" is the last way in that needs no guards: without it the backup opens only "
          + "while they help. Remove it?"
        : "\"\(name)\" is the last way in: without it nobody can open the backup. Remove it?"
      : "Remove \"\(name)\"? It will no longer open this backup. It still opens older copies of the "
        + "folder."
    guard try prompter.confirm(question) else {
      throw UserMessage(.denied, "not confirmed; nothing was removed")
    }
  }

  private func advise(_ freed: [UInt8]?, _ world: World) {
    unlock.output(world).note(
      "If somebody else may have it and a copy of the folder, move the coins first. Then run: "
        + "keybackup rotate --master-key")
    if let freed {
      unlock.output(world).note(
        "If you keep the key, free its slot: "
          + CredentialIDArgument.deletion(of: freed, force: true))
    }
  }
}

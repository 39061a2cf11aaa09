package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import SecurityKeys
internal import Unlocking

/// `keybackup key remove`: a key slot is one no more.
package struct KeyRemoveCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a way into the backup.",
    discussion: """
      Another way in opens the backup first, which proves that one is left. Anyone with the \
      removed key can still open older copies of the folder, and an earlier backup in it that \
      names the key.
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

  package init() {}

  package mutating func validate() throws {
    if let problem = KeySlotSelector.problem(key) { throw ValidationError(problem) }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing)
    let slots = try backup.allKeySlots()
    let named: [KeySlot]
    do throws(UserMessage) {
      named = try KeySlotSelector.group(key, slots)
    } catch {
      guard error.code == .noInput, mayBeLost(in: backup) else { throw error }
      return try await removeLost(in: backup, world)
    }
    var ids = Set(named.compactMap(\.keyID))
    let others = slots.filter { slot in
      !slot.isRemoved && slot.keyID.map { !ids.contains($0) } ?? true
    }
    // Guards alone are no way into a backup.
    if others.allSatisfy(\.isGuarded), !last { throw UserMessage(BackupFolderError.lastKeySlot) }
    // A file that nobody here knows to be enrolled is no other key slot for certain.
    let isLast = last && !others.contains { $0.isEnrolled == true && !$0.isGuarded }
    try confirm(
      named, isLast: isLast, guarded: others.contains(where: \.isGuarded),
      earlier: backup.namespaces(openedLike: named, among: backup.knownEarlier), world)
    var terms = UnlockTerms(needsKeySlot: true)
    if !isLast {
      terms.except = ids
      terms.exceptKeysOf = named
      terms.purpose = .removing
    }
    var opened = try await backup.unlock(unlock, world, terms, orElse: "nothing was removed")
    let meant = try backup.only(named, of: opened)
    ids = Set(meant.compactMap(\.keyID))
    try KeySlotSelector.requireSame(meant, in: opened)
    return try remove(meant, from: &opened, backup, world)
  }

  /// Whether one is named that waits for its box and whose file is gone: a whole ID, or a name that
  /// this computer remembers.
  private func mayBeLost(in backup: Backup) -> Bool {
    let typed = key.lowercased()
    let hasEarlier = ((try? backup.folder.namespaces()) ?? []).count > 1
    return hasEarlier && KeyID(hex: typed) != nil
      || backup.namespace.lostKeySlots.contains { lost in
        lost.isPending
          && (lost.label == key || ShortID.matches(typed, lost.keyID.hex))
      }
  }

  /// Removes one that waits for its box and whose file is gone; only the log knows it.
  private func removeLost(
    in backup: Backup, _ world: World
  ) async throws(UserMessage) -> ExitReason {
    var terms = UnlockTerms(needsKeySlot: true)
    terms.purpose = .removing
    var opened = try await backup.unlock(unlock, world, terms, orElse: "nothing was removed")
    let all: [KeySlot]
    do throws(BackupFolderError) {
      all = try opened.allKeySlots(evenLost: true)
    } catch {
      throw UserMessage(error)
    }
    let meant = try KeySlotSelector.group(key, all)
    try confirm(meant, isLast: false, guarded: false, earlier: [], world)
    return try remove(meant, from: &opened, backup, world)
  }

  /// Removes key slots from the open backup, and reports it.
  private func remove(
    _ meant: [KeySlot], from opened: inout OpenNamespace, _ backup: Backup, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let ids = Set(meant.compactMap(\.keyID))
    let freed: [UInt8]?
    let sameKey: [KeySlot]
    do throws(BackupFolderError) {
      let all = try opened.allKeySlots()
      freed = all.credentialFreed(byRemoving: ids)
      sameKey = all.lost(with: ids)
      try opened.removeKeySlots(ids, allowingLast: last)
    } catch {
      throw UserMessage(error)
    }
    // Without any way in left, none can be listed.
    let left = ((try? opened.allKeySlots()) ?? []).left(of: sameKey)
    let earlier = backup.namespaces(
      openedLike: sameKey + meant, among: backup.earlier(than: opened))
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    try unlock.output(world).result(
      "Removed \"\(KeySlotSelector.shown(meant[0]))\".",
      json: [
        "key_ids": .array(ids.sorted().map { .string($0.hex) }),
        "label": .string(meant[0].label),
        "still_opened_by": .array(left.compactMap { $0.keyID.map { .string($0.hex) } }),
        "still_opens": .array(earlier.map { .string($0.hex) }),
      ], ofChange: "the way in was removed all the same")
    warn(of: left, world)
    if !unlock.common.json { advise(freed, earlier, world) }
    return .success
  }

  /// Asks whether to remove a way in.
  ///
  /// - Parameters:
  ///   - meant: its key slots.
  ///   - isLast: whether no other stays that needs no guards.
  ///   - guarded: whether one that needs guards stays.
  ///   - earlier: the earlier namespaces that it still opens.
  ///   - world: whom to ask.
  /// - Throws: `denied`.
  private func confirm(
    _ meant: [KeySlot], isLast: Bool, guarded: Bool, earlier: [NamespaceID], _ world: World
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
        + "folder"
        + (earlier.earlierBackups.map { ", and \($0) in this folder until that is deleted." } ?? ".")
    guard try prompter.confirm(question) else {
      throw UserMessage(.denied, "not confirmed; nothing was removed")
    }
  }

  /// Warns where the same security key or code has other files that open the backup.
  private func warn(of left: [KeySlot], _ world: World) {
    for id in ShortID.shown(left.compactMap { $0.keyID?.hex }) {
      unlock.output(world).warn(
        "keybackup: the same key still opens the backup, by its way in \(id)")
      unlock.output(world).warn("hint: to remove that too: keybackup key remove \(id)")
    }
  }

  private func advise(_ freed: [UInt8]?, _ earlier: [NamespaceID], _ world: World) {
    if let backups = earlier.earlierBackups {
      unlock.output(world).note(
        "It still opens \(backups) in this folder, until that is deleted. To see when you may "
          + "delete it: keybackup verify --deep")
    }
    unlock.output(world).note(
      "If somebody else may have it and the folder or a copy of it, move the coins first. Then run: "
        + "keybackup rotate --master-key")
    if let freed {
      unlock.output(world).note(
        "If you keep the key, free its slot: "
          + CredentialIDArgument.deletion(of: freed, force: true))
    }
  }
}

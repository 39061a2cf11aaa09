package import BackupFolder
package import CSPP
package import CommandKit
internal import PRFDevice
internal import SecretMemory

/// Backups whose master key was rotated: one of several namespaces in one folder is in charge
/// (docs/decisions/0020).
extension Backup {
  /// Throws if it is not known which backup is meant, for commands that open none; records what
  /// else the folder holds or lacks.
  ///
  /// - Parameters:
  ///   - run: keeps them for its result and exit code.
  ///   - output: receives a note about the other backups; nil if the command reports them.
  /// - Throws: `ambiguous`.
  package func requireOne(_ run: Run, _ output: Output? = nil) throws(UserMessage) {
    guard !isOpen else {
      throw UserMessage(.severalNamespaces(candidates)).adding(
        hint: folder.movedHint
          ?? "if the master key was rotated, plug in your key and run: keybackup verify --deep")
    }
    var others = OtherBackups()
    do throws(BackupFolderError) {
      others.vanished = try folder.vanishedNamespaces(besides: namespace.id)
      others.present = candidates.isEmpty ? [] : try folder.candidates().unknown
    } catch {
      throw UserMessage(error)
    }
    others.isAccepted = named != nil
    run.others = others
    if let output { others.tell(besides: namespace.id, in: folder, output) }
  }

  /// The key slots of every namespace that may be meant, the known namespace's first.
  ///
  /// Times in files are ignored: anyone who can write to the folder chooses them.
  package func scanAll() throws(UserMessage) -> NamespaceScan {
    let others = others
    if others.isEmpty { return try scan() }
    var slots: [KeySlot] = []
    var first: NamespaceScan?
    for id in others {
      guard let found = try? folder.namespace(id).scan() else { continue }
      slots += found.keySlots
      first = first ?? found
    }
    do throws(UserMessage) {
      let own = try scan()
      return own.with(own.keySlots + slots)
    } catch {
      // A new namespace may have no key slot file yet: boxes lead there. And an unknown namespace
      // must not prevent access to the others.
      guard let first, error.code == .incomplete || isOpen else { throw error }
      return first.with(slots)
    }
  }

  /// The other namespaces here; one with a successor also has files of keys that were not plugged
  /// in at its rotation.
  private var others: [NamespaceID] {
    ((try? folder.openable()) ?? []).filter { $0 != namespace.id }
  }

  /// Follows the successors from the opened namespace to the one in charge.
  ///
  /// - Parameters:
  ///   - known: the opened namespace's master key.
  ///   - unlocked: its key slot; the secret and the key may be used again.
  ///   - unlock: the options of the command.
  ///   - world: what surrounds the process.
  ///   - purpose: the purpose of the command.
  /// - Returns: the open namespace; for reading, the last one that can be reached.
  /// - Throws: `ambiguous` where another namespace may be meant, or the successor must be compared
  ///   first; the errors of the device and the folder.
  func follow(
    _ known: SharedMasterKey, _ unlocked: borrowing UnlockedMasterKey, _ unlock: UnlockOptions,
    _ world: World, for purpose: OpenNamespace.Purpose
  ) async throws(UserMessage) -> OpenNamespace {
    var search = SuccessionSearch(folder: folder, start: known, keyID: unlocked.keyID)
    search.compared = isNamedInFull ? named : nil
    if let keyID = unlocked.keyID, let secret = unlocked.secret?.copy() {
      search.slots.append(KeySlotSecret(keyID, secret))
    }
    if known.namespaceID == named {
      let opened = try search.stay(use, purpose)
      try note(try others(than: opened), opened.id, unlock.output(world))
      if let next = opened.health.successor {
        tellEarlier(opened.id, next, world.run)
      } else if isNamedInFull, !opened.predecessors.isEmpty, opened.isRotationFinished {
        // The person has compared its ID. From now on it is the one that this computer knows.
        var followed = try search.run(.reading)
        if followed.namespace.id == opened.id { followed.remember() }
      }
      return opened
    }
    var followed = try search.run(purpose)
    // The master key may have been rotated several times since this computer opened the backup.
    var tried: Set<NamespaceID> = []
    var shown: Set<NamespaceID> = []
    while let obstacle = followed.obstacle {
      if case .noKey(let id, let boxes) = obstacle, tried.insert(id).inserted,
        let slot = unlocked.slot, let key = unlocked.key
      {
        // The same security key with another salt: one more touch.
        guard try await search.ask(key, like: slot, at: id, boxes) else { break }
      } else if case .uncompared(let id) = obstacle, shown.insert(id).inserted {
        guard try isSame(id, unlock.common.prompter(world)) else { break }
        search.compared = id
      } else {
        break
      }
      followed = try search.run(purpose)
    }
    // The same security key rotated on another computer, which did not know of this rotation.
    while case .noKey(let id, let boxes) = followed.unreadRival, tried.insert(id).inserted,
      let slot = unlocked.slot, let key = unlocked.key
    {
      guard try await search.ask(key, like: slot, at: id, boxes) else { break }
      followed = try search.run(purpose)
    }
    // The same security key has a slot of its own there: that one opened the backup.
    let own = search.opened.flatMap { $0.slot.namespaceID == followed.namespace.id ? $0 : nil }
    if let own {
      search.lead(to: own)
      followed = try search.run(purpose)
    }
    try check(&followed)
    let others = try others(than: followed.namespace, followed.related)
    if let key = own?.slot.keyID ?? unlocked.keyID, followed.namespace.removedKeys.contains(key),
      known.namespaceID != followed.namespace.id
    {
      throw UserMessage(
        .wrongKey, "this way in was removed from the backup \(followed.namespace.id.hex)",
        hint: "use another way in; to see them: keybackup key list")
    }
    try note(others, followed.namespace.id, unlock.output(world))
    // A backup in the place of a known one is not accepted just because it was read once.
    if others.vanished.isEmpty || others.isAccepted { followed.remember() }
    try tell(followed, unlock.output(world))
    var opened = followed.take()
    if let own { opened.noteOpener(own.slot, secret: own.secret.copy()) }
    if use == .writing {
      try complete(&opened, search, own?.slot ?? unlocked.slot, unlock.output(world))
    }
    return opened
  }

  /// The other backups of the folder, determined from the open one.
  private func others(
    than opened: borrowing OpenNamespace, _ related: Set<NamespaceID> = []
  ) throws(UserMessage) -> OtherBackups {
    do throws(BackupFolderError) {
      let behind = opened.predecessors
      let here = named == nil ? try folder.candidates().unknown : []
      return OtherBackups(
        vanished: try folder.vanishedNamespaces(besides: opened.id, following: behind),
        present: here.filter { $0 != opened.id && !related.union(behind).contains($0) },
        isAccepted: named != nil)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Reports the other backups; prevents writing to one that is in the place of a known one.
  private func note(
    _ others: OtherBackups, _ id: NamespaceID, _ output: Output
  ) throws(UserMessage) {
    output.run.others = others
    if !others.vanished.isEmpty, !others.isAccepted, use == .writing || use == .unlocking {
      throw OtherBackups.gone(others.vanished, from: folder, instead: id)
    }
    others.tell(besides: id, in: folder, output)
  }

  /// Throws if another namespace may have been meant.
  private func check(_ followed: inout ResolvedNamespace) throws(UserMessage) {
    let id = followed.namespace.id
    if let named {
      if id == named { return }
      guard followed.related.contains(named) else {
        throw UserMessage(
          .wrongKey, "this key or code opens \(id.hex), not \(named.hex)",
          hint: "use another key or recovery kit; or read what the other backup holds: "
            + "--namespace \(id.hex)")
      }
      if followed.obstacle == .notHere(named) { throw Self.notHere(named) }
      throw UserMessage(
        .ambiguous, "\(named.hex) cannot be opened by this key; \(id.hex) can",
        hint: "use a key that is enrolled there; or read what the other backup holds: "
          + "--namespace \(id.hex)")
    }
    let unrelated = candidates.filter { $0 != id && !followed.related.contains($0) }
    if unrelated.isEmpty { return }
    if let settled, settled == id || followed.related.contains(settled) { return }
    throw ambiguous(&followed.namespace, besides: unrelated)
  }

  /// The error that names the opened namespace and its contents, so that the user can tell whether
  /// it is meant.
  private func ambiguous(
    _ opened: inout OpenNamespace, besides others: [NamespaceID]
  ) -> UserMessage {
    var newest: UInt64?
    let report = opened.forEachWallet { version, _ in
      if let time = version.entry.updatedAt { newest = max(newest ?? 0, time) }
    }
    let wallets =
      counted(report.restored, "wallet")
      + (newest.map { ", the newest of \(PrintableTime.day($0))" } ?? "")
    return UserMessage(
      .ambiguous,
      settled == nil
        ? "the folder holds \(others.count + 1) backups, and nothing proves which one is yours"
        : "this key or code opens another backup than the one that this computer knows",
      hint: "it opens \(opened.id.hex): \(wallets)\nif that one is yours, name it with "
        + "--namespace\nbeside it lies \(NamespaceID.listed(others))")
  }

  private func tell(_ followed: borrowing ResolvedNamespace, _ output: Output) throws(UserMessage) {
    if let rival = followed.unreadRival { Self.warn(ofRival: rival.namespaceID, output) }
    guard let obstacle = followed.obstacle else { return }
    let next = obstacle.namespaceID.hex
    if !followed.isSuperseded {
      Self.warn(ofRival: obstacle.namespaceID, output)
      return
    }
    let message =
      switch obstacle {
      case .notHere(let id): Self.notHere(id)
      case .noKey:
        UserMessage(
          .wrongKey, "the backup moved to \(next), which this key does not open",
          hint: "use a key that was enrolled when the master key was rotated")
      case .uncompared:
        UserMessage(
          .ambiguous, "the backup moved to \(next); nobody has compared that yet",
          hint:
            "compare it with what status shows on the computer that rotated; if it is the same, add "
            + "--namespace \(next)\n"
            + "anyone who once had the old master key could have made it")
      }
    guard followed.isSuperseded else { return output.warn(message) }
    if use == .writing { throw message }
    output.run.close(with: message)
    output.run.close(
      with: UserMessage(
        message.code,
        "these wallets are from before the master key was changed, from the earlier backup "
          + followed.namespace.id.hex,
        hint: "wallets added since are not among them"))
  }

  private static func warn(ofRival id: NamespaceID, _ output: Output) {
    output.warn(
      "keybackup: another rotation of an earlier master key claims to be the backup: \(id.hex)")
    output.warn("hint: if you rotated on two computers, open it with the key that you used there")
    output.warn(
      "hint: if you did not, somebody has that earlier master key and writes to this folder")
  }

  /// Says that the namespace that was asked for is not the one in charge.
  private func tellEarlier(_ id: NamespaceID, _ next: NamespaceID, _ run: Run) {
    run.close(
      with: UserMessage(
        .partial, "this is an earlier backup, \(id.hex); its master key was rotated",
        hint: "the newer backup is \(next.hex); what was added since is only there"))
  }

  private static func notHere(_ next: NamespaceID) -> UserMessage {
    UserMessage(
      .incomplete, "the backup moved to \(next.hex), which is not all here yet",
      hint: "wait until the folder is synchronised, then try again")
  }

  private func isSame(_ id: NamespaceID, _ prompter: Prompter) throws(UserMessage) -> Bool {
    guard prompter.canAsk else { return false }
    prompter.tell(
      "The master key of this backup was rotated. The new backup says that its ID is")
    prompter.tell("  \(id.grouped)")
    prompter.tell(
      "Anyone who once had the old master key could claim that. Compare the ID with what keybackup "
        + "status shows on the computer that rotated, or with a recovery kit made since.")
    while true {
      let answer = try prompter.line(
        "If it is the same, type its first 8 digits (nothing: stay with the earlier backup): ")
      guard let answer, !answer.isEmpty else { return false }
      let typed = answer.lowercased().filter { $0 != " " && $0 != "-" }
      if typed.utf8.count >= 8, id.hex.hasPrefix(typed) { return true }
      prompter.tell("These are not the first 8 digits of the ID above.")
    }
  }

  /// Completes rotations, which a writing run does for later ones.
  private func complete(
    _ opened: inout OpenNamespace, _ search: SuccessionSearch, _ slot: KeySlot?, _ output: Output
  ) throws(UserMessage) {
    do throws(BackupFolderError) {
      if let slots = try opened.mergeRivals() {
        output.note("Two computers had rotated the master key. The two rotations were merged.")
        output.warn(slots)
      }
      for left in try opened.discardOvertaken() {
        output.note(
          "Another rotation was finished first. What this computer had copied was removed "
            + "(\(left.hex))."
        )
      }
      guard let slot, slot.namespaceID != opened.id,
        let secret = search.slots.first(where: { $0.keyID == slot.keyID }),
        try opened.admit(slot, secret)
      else { return }
      let name = Kit(slot) == nil ? "This key" : "This recovery code"
      output.note("\(name) has its own file in the new backup \(opened.id.hex) now.")
    } catch {
      throw UserMessage(error)
    }
  }
}

extension NamespaceID {
  /// The digits in groups of four, to be read out.
  package var grouped: String {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<$0 + 4]) }
      .joined(separator: " ")
  }
}

extension Output {
  /// Warns of key slots that one of two rotations knew to be removed.
  package func warn(_ slots: MergedKeySlots) {
    for label in slots.removed {
      warn(
        "keybackup: \"\(PrintableText.name(label, limit: 40))\" was removed before one of the two "
          + "rotations. It is removed here now. The other rotation had let it in")
      warn("hint: to shut it out, rotate once more: keybackup rotate --master-key")
    }
    for slot in slots.kept {
      warn(
        "keybackup: \"\(PrintableText.name(slot.label, limit: 40))\" was removed before one of the two "
          + "rotations. It still opens this backup")
      warn("hint: if you removed it: keybackup key remove \(slot.keyID.hex)")
    }
  }
}

internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import Unlocking

/// `keybackup rotate --master-key`: a new master key, and everything sealed again.
extension RotateCommand {
  func rotateMasterKey(_ world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing)
    // What an interrupted rotation began is finished with the same salt, if it opens.
    var unfinished = try Self.unfinished(backup.namespace)
    var terms = UnlockTerms()
    terms.needsSecurityKey = true
    terms.mustBeOneKey = true
    var salt = unfinished?.prfSalt ?? Randomness.bytes(count: 32)
    terms.extraSalt = salt
    var unlocked = try await backup.masterKey(unlock, world, terms)
    guard let slot = unlocked.slot, let atHand = slot.keyID, let key = unlocked.key else {
      throw UserMessage(
        .wrongKey, "only a security key that is enrolled here can rotate the master key",
        hint: "enrol one first: keybackup key add")
    }
    var extra: SecretBytes?
    swap(&extra, &unlocked.extra)
    guard var secret = extra else { throw UserMessage(.prfNotDelivered, key: key.name) }
    if let left = unfinished, left.header(openedBy: secret) == nil {
      // Another key began it, or someone who writes to the folder chose salt and ID.
      unfinished = nil
      salt = Randomness.bytes(count: 32)
      secret = try await Self.newSecret(of: slot, key, salt: salt)
    }
    var opened = try await backup.open(unlocked, unlock, world)
    if unfinished != nil,
      try Self.unfinished(backup.namespace(of: opened))?.keyID != unfinished?.keyID
    {
      // Another rotation was finished first, and what was begun is gone.
      unfinished = nil
      salt = Randomness.bytes(count: 32)
      secret = try await Self.newSecret(of: slot, key, salt: salt)
    }
    let enrolment = try Self.enrolment(
      slot, label: Self.label(of: atHand, opened) ?? slot.label, salt: salt,
      keyID: unfinished?.keyID)
    let left = opened.pendingKeySlots(besides: atHand, of: slot.credentialID)
    let hasKits = ((try? opened.allKeySlots()) ?? []).contains { Kit($0) != nil && !$0.isRemoved }
    let lost = try backup.namespace(of: opened).lostKeySlots.filter(\.isForGood).map(\.keyID)
    try await announce(left, lost: Set(lost), key, enrolment, secret, world)

    let total = try backup.namespace(of: opened).countWalletFiles()
    var bars = RotationBars(wallets: total, unlock.common, world)
    let old = opened.id
    var rotation: Rotation
    do throws(BackupFolderError) {
      rotation = try opened.rotateMasterKey(
        to: enrolment, secret: secret, atHand: atHand, despiteGaps: gaps.despiteGaps
      ) { progress in
        bars.advance(progress)
      }
    } catch {
      throw gaps.explained(error)
    }
    bars.finish()
    forgetKnown(old, backup, world)
    return try report(rotation, old, enrolment, hasKits: hasKits, world)
  }

  private static func unfinished(_ source: Namespace) throws(UserMessage) -> KeySlot? {
    do throws(BackupFolderError) {
      guard let namespace = try source.unfinishedRotation() else { return nil }
      // Nothing in it that can be read: it is made again.
      return (try? namespace.scan())?.keySlots.first { $0.kind == .securityKey }
    } catch {
      throw UserMessage(error)
    }
  }

  /// The security key's output for a salt that nobody has seen: one more touch.
  private static func newSecret(
    of slot: KeySlot, _ key: OpenAuthenticator, salt: [UInt8]
  ) async throws(UserMessage) -> SecretBytes {
    guard let rpID = slot.rpID, let credentialID = slot.credentialID else {
      throw UserMessage(BackupFolderError.noSuchKeySlot)
    }
    return try await key.onlyOutput(
      PRFRequest(
        rpID: rpID, credentialIDs: [CredentialID(credentialID)], first: .webAuthn(salt)),
      why: "starts the rotation again")
  }

  /// Says who gets to the new backup, before anything is written.
  ///
  /// A box will wait for each key slot in `left`. Nothing opens the box of those in `lost`.
  private func announce(
    _ left: [PendingKeySlot], lost: Set<KeyID>, _ key: OpenAuthenticator, _ enrolment: Enrolment,
    _ secret: borrowing SecretBytes, _ world: World
  ) async throws(UserMessage) {
    if case .securityKey(let credential) = enrolment.kind, left.isEmpty {
      // There would be no other way to the new backup if this were wrong.
      let again = try await key.onlyOutput(
        PRFRequest(
          rpID: credential.rpID, credentialIDs: [CredentialID(credential.credentialID)],
          first: .webAuthn(credential.prfSalt)),
        why: "proves that the new secret stays the same")
      guard again.isEqual(to: secret) else {
        throw UserMessage(BackupFolderError.evaluationsDiffer)
      }
      return
    }
    for slot in left {
      unlock.output(world).note(
        "\"\(PrintableText.name(slot.label, limit: 40))\" (\(slot.keyID.hex.prefix(8))) was not "
          + "used in this run. "
          + (lost.contains(slot.keyID)
            ? "It no longer opens this backup: its file was in an earlier backup that is gone."
            : "It will still work."))
    }
    let prompter = unlock.common.prompter(world)
    guard prompter.canAsk else { return }
    guard
      try prompter.confirm(
        "These ways in stay. Do you know all of them, and is none of them lost? Go on?")
    else {
      throw UserMessage(
        .denied, "not confirmed; nothing was changed",
        hint: "remove what should not stay: keybackup key remove KEY")
    }
  }

  /// This computer forgets the old master key, if `unlock` made it know that.
  private func forgetKnown(_ old: NamespaceID, _ backup: Backup, _ world: World) {
    do throws(UserMessage) {
      let count = try CachedMasterKey.forget(of: backup.folder, world, mayPrompt: false) {
        $0 == old
      }
      if count > 0 { unlock.output(world).note("This computer has forgotten the old master key.") }
    } catch {
      unlock.output(world).warn(
        "keybackup: this computer may still know the old master key: \(error.message)")
      unlock.output(world).warn("hint: to forget it: keybackup lock")
    }
  }

  private func report(
    _ rotation: borrowing Rotation, _ old: NamespaceID, _ enrolment: Enrolment, hasKits: Bool,
    _ world: World
  ) throws(UserMessage) -> ExitReason {
    let output = unlock.output(world)
    let new = rotation.namespace.id
    try output.result(
      "The backup's new ID is \(new.grouped).",
      json: [
        "namespace_id": .string(new.hex), "previous_namespace_id": .string(old.hex),
        "key_id": .string(enrolment.keyID.hex), "wallets": .number(rotation.wallets),
        "versions": .number(rotation.versions), "files": .number(rotation.files),
        "silent_writers": .array(rotation.silentWriters.map { .string($0.writer.label.text) }),
        "resumed": .bool(rotation.isResumed),
        "waiting": .array(rotation.left.map { .string($0.keyID.hex) }),
        "to_renew": .array(rotation.left.filter(\.isGuarded).map { .string($0.keyID.hex) }),
        "failed": .array(rotation.failures.map(\.json)),
      ], ofChange: "the new backup is \(new.hex) all the same")
    output.warn(viewProblem: rotation.namespace.viewProblem)
    for failure in rotation.failures { output.warn("keybackup: not carried over: \(failure.text)") }
    if !unlock.common.json {
      for line in Self.notes(rotation, old, hasKits: hasKits) { output.note(line) }
    }
    return rotation.failures.isEmpty ? .success : .partial
  }

  private static func notes(
    _ rotation: borrowing Rotation, _ old: NamespaceID, hasKits: Bool
  ) -> [String] {
    var lines = [
      "Write this ID down now: other computers and keys may ask you to compare it.",
      "\(counted(rotation.wallets, "wallet")) encrypted again and read back"
        + (rotation.isResumed ? ". The interrupted rotation is finished." : "."),
      "Someone with the old master key cannot read what is written from now on. What they copied "
        + "before stays readable. If they may know a wallet's secret, move its coins.",
    ]
    if rotation.files > 0 {
      lines.append("\(counted(rotation.files, "file")) carried over and read back.")
    }
    if !rotation.silentWriters.isEmpty {
      let names = rotation.silentWriters.map {
        "\"\(PrintableText.name($0.writer.label.text, limit: 40))\""
      }
      lines.append(
        "These computers write without a touch, to the earlier backup until you authorise them again: "
          + names.joined(separator: ", ")
          + ". Run there, with your key: keybackup writers authorise")
      lines.append("Without your key, begin there with: keybackup writers request")
    }
    if !rotation.left.isEmpty {
      lines.append(
        "\(counted(rotation.left.count, "way")) in \(rotation.left.count == 1 ? "was" : "were") not "
          + "used in this run. The first time that you use one, compare this new ID:")
      lines.append("  \(rotation.namespace.id.grouped)")
    }
    let guarded = rotation.left.filter(\.isGuarded)
    let names = guarded.map { "\"\(PrintableText.name($0.label, limit: 40))\"" }
    if !guarded.isEmpty {
      lines.append(
        "Anyone who knows the old master key can end the accounts at guards of "
          + names.joined(separator: ", ") + ".")
      for (name, id) in zip(names, ShortID.shown(guarded.map(\.keyID.hex))) {
        lines.append("To renew \(name): keybackup guard renew \(id)")
      }
    }
    lines.append(
      "Other computers follow with this key. With another key they ask you to compare the ID. "
        + "What they write before that is shown as late.")
    if hasKits {
      lines.append(
        "Printed recovery kits: their offline part opens only the earlier backup. Print new ones: "
          + "keybackup recovery-kit create --out kit.html")
    }
    return lines + [
      "The earlier backup \(old.hex) stays in the folder. It alone has what was removed or replaced "
        + "before. To see when you may delete it: keybackup verify --deep"
    ]
  }
}

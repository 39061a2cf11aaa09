package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import Unlocking

/// `keybackup rotate`: another secret for a security key, or for everything.
package struct RotateCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Replace a key's secret (or, with --master-key, the backup's).",
    discussion: """
      Takes one PIN and one touch; the wallets stay as they are. --credential makes a new \
      credential on the key, which takes four touches.
      The old wrapping stays until the new one has opened the backup for a command that \
      changes it. keybackup key repair changes nothing else.
      With --master-key, everything is encrypted again and read back before the old backup \
      gives way. A lost key then cannot open what is added later.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Option(
    help: ArgumentHelp(
      "The key: its label or ID (default: the one plugged in).",
      valueName: "key"))
  var key: String?

  @Flag(help: "Make a new credential on the key, not only a new salt.")
  var credential = false

  @Flag(help: "Make a new master key, and encrypt everything again under it.")
  package var masterKey = false

  @OptionGroup var gaps: GapOption

  package init() {}

  package mutating func validate() throws {
    if gaps.despiteGaps, !masterKey {
      throw ValidationError("--despite-gaps goes with --master-key")
    }
    if masterKey, credential || key != nil {
      throw ValidationError("--master-key does not go with --key and --credential")
    }
    if let key, let problem = KeySlotSelector.problem(key) { throw ValidationError(problem) }
    try requireSecurityKey()
  }

  /// Refuses a recovery code and guards, which would not be used.
  private func requireSecurityKey() throws {
    guard !unlock.recovery.isUsed, !unlock.guards.isUsed else {
      throw ValidationError(
        "rotate opens the backup with the security key that it is about, not with "
          + (unlock.guards.isUsed ? "guards" : "a recovery code"))
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    if masterKey { return try await rotateMasterKey(world) }
    let backup = try await unlock.backup(world, for: .writing)
    let slots = try backup.allKeySlots()
    var terms = UnlockTerms()
    if let key {
      terms.only = Set(try KeySlotSelector.group(key, slots).compactMap(\.keyID))
      terms.purpose = .openingByCertainKeySlots
    } else {
      terms.only = Set(
        slots.filter { $0.kind == .securityKey && !$0.isRemoved }.compactMap(\.keyID))
    }
    terms.mustBeOneKey = true
    let salt = Randomness.bytes(count: 32)
    terms.needsSecurityKey = true
    if !credential { terms.extraSalt = salt }
    var unlocked = try await backup.masterKey(unlock, world, terms)
    guard let slot = unlocked.slot, let old = slot.keyID, let openKey = unlocked.key else {
      throw UserMessage(BackupFolderError.noSuchKeySlot)
    }
    var extra: SecretBytes?
    swap(&extra, &unlocked.extra)
    var opened = try await backup.open(unlocked, unlock, world)
    let label = try Self.label(of: old, opened) ?? ""
    if credential {
      return try await rotateCredential(slot, old, label, openKey, backup, &opened, world)
    }
    guard let extra else { throw UserMessage(.prfNotDelivered, key: openKey.name) }
    let enrolment = try Self.enrolment(slot, label: label, salt: salt, replaces: old)
    do throws(BackupFolderError) {
      try opened.addReplacement(enrolment, secret: extra)
    } catch {
      throw UserMessage(error)
    }
    return try report(enrolment.keyID, old, slot.credentialID ?? [], label, opened, world)
  }

  private func rotateCredential(
    _ slot: KeySlot, _ old: KeyID, _ label: String, _ key: OpenAuthenticator, _ backup: Backup,
    _ opened: inout OpenNamespace, _ world: World
  ) async throws(UserMessage) -> ExitReason {
    let namespace = try backup.namespace(of: opened)
    // No credential is excluded: the key holds the one that is replaced, and any
    // other it may have been given by an interrupted run.
    let enrolment = CredentialEnrolment(
      key: key, rpID: slot.rpID ?? BackupRelyingPartyOption.standard, label: label,
      isDiscoverable: slot.discoverable ?? true, replaces: old, touchesBefore: 1)
    let made = try await enrolment.run { proven throws(UserMessage) in
      do throws(BackupFolderError) {
        try opened.addKeySlot(proven.enrolment, secret: proven.first, confirmedBy: proven.second)
        return (keyID: proven.enrolment.keyID, credential: proven.credentialID)
      } catch {
        throw UserMessage(error)
      }
    } isRecorded: { credential in
      namespace.mayName(credential)
    }
    let code = try report(made.keyID, old, made.credential.bytes, label, opened, world)
    let slots = (try? opened.allKeySlots()) ?? []
    if let freed = slots.credentialFreed(byRemoving: [old]), !unlock.common.json {
      unlock.output(world).note(
        "Once the old one is removed, free its slot: "
          + CredentialIDArgument.deletion(of: freed, force: true))
    }
    return code
  }

  /// The person's name for a key; nil if no key slot has its ID.
  static func label(
    of key: KeyID, _ opened: borrowing OpenNamespace
  ) throws(UserMessage) -> String? {
    do throws(BackupFolderError) {
      return try opened.keySlots().first { $0.keyID == key }?.label
    } catch {
      throw UserMessage(error)
    }
  }

  /// A key slot by the credential of another one, with another salt.
  static func enrolment(
    _ slot: KeySlot, label: String, salt: [UInt8], keyID: KeyID? = nil, replaces old: KeyID? = nil
  ) throws(UserMessage) -> Enrolment {
    guard let rpID = slot.rpID, let credentialID = slot.credentialID, let aaguid = slot.aaguid,
      let discoverable = slot.discoverable
    else {
      throw UserMessage(
        .incomplete, "the file of this key in keys/ is missing; only the CSPP envelope is here",
        hint: "to write it again: keybackup key repair")
    }
    return Enrolment(
      label: label,
      kind: .securityKey(
        KeyHeader.SecurityKey(
          rpID: rpID, credentialID: credentialID, discoverable: discoverable, aaguid: aaguid,
          prfSalt: salt)), keyID: keyID ?? .random(), replaces: old)
  }

  private func report(
    _ new: KeyID, _ old: KeyID, _ credential: [UInt8], _ label: String,
    _ opened: borrowing OpenNamespace, _ world: World
  ) throws(UserMessage) -> ExitReason {
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    try unlock.output(world).result(
      "\"\(PrintableText.name(label, limit: 40))\" has a new secret.",
      json: [
        "namespace_id": .string(opened.id.hex), "key_id": .string(new.hex),
        "replaces": .string(old.hex),
        "credential_id": .string(CredentialIDArgument.encode(credential)),
      ], ofChange: "the new secret was written all the same")
    if !unlock.common.json {
      unlock.output(world).note(
        "The old one stays until the new one has opened the backup. To remove it now: keybackup key "
          + "repair")
    }
    unlock.output(world).note(rotationsOf: opened)
    return .success
  }
}

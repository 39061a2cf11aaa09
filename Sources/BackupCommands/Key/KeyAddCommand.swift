package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import Unlocking

/// `keybackup key add`: enrols a spare security key.
package struct KeyAddCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Enrol a spare security key.",
    discussion: """
      Open the backup with a key that it has, then touch the new key three times. With one \
      USB port, insert the new key when asked.
      One touch makes the credential, two prove that the key gives the same secret each \
      time. Nothing is written before that.
      --device, --rp-id and the PIN options are about the new key. They are about both keys \
      where --unlock-device, --unlock-rp-id and --unlock-pin-file say nothing else.
      --pin-fd then has two lines: first the PIN of the key that opens the backup, then the \
      PIN of the new one.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var opener: OpenerOptions
  @OptionGroup var envelope: EnvelopeOptions

  @Option(
    help: ArgumentHelp("What to call the key (default: its product name).", valueName: "name"))
  var label: String?

  @Flag(help: "Take no slot on the key. Only the backup folder then has the credential's ID.")
  var nonDiscoverable = false

  package init() {}

  package mutating func validate() throws {
    if unlock.guards.isUsed { try opener.given.refuse(besides: "guards that open the backup") }
    if let label, let problem = KeyLabel.problem(label) { throw ValidationError(problem) }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let backup = try await unlock.backup(world, for: .writing, using: UnlockOptions.ownKey)
    var terms = UnlockTerms()
    let opening = try opener.applied(to: unlock)
    if let descriptor = opening.pins.pinFd, descriptor == unlock.pins.pinFd {
      terms.furtherPINs = 1
    }
    let unlocked = try await backup.masterKey(opening, world, terms)
    let used = unlocked.key
    var opened = try await backup.open(unlocked, unlock, world)
    let namespace = try backup.namespace(of: opened)
    await used?.authenticator.close()

    let slots = try enrolledKeySlots(opened)
    let finder = try unlock.finder(world, for: .secondKey)
    let key = try await finder.newKey(
      besides: used?.descriptor, UnlockOffers(slots, backup.rule(rpID)).questions)
    try await key.offerPIN()
    try await key.requirePRF()
    let enrolled = slots.filter { $0.rpID == nil || $0.rpID == rpID }.compactMap(\.credentialID)
    let enrolment = CredentialEnrolment(
      key: key, rpID: rpID, label: label, isDiscoverable: !nonDiscoverable,
      excluded: enrolled.map { CredentialID($0) })
    let made = try await enrolment.run { proven throws(UserMessage) in
      do throws(BackupFolderError) {
        try opened.addKeySlot(
          proven.enrolment, secret: proven.first, confirmedBy: proven.second,
          replacingForeignEnvelope: envelope.replaceCsppEnvelope)
        return (keyID: proven.enrolment.keyID, credential: proven.credentialID)
      } catch {
        throw UserMessage(error)
      }
    } isRecorded: { credential in
      namespace.mayName(credential)
    }
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    return try report(made.keyID, made.credential, label ?? key.product, opened, world)
  }

  /// Those that open the backup already, also by a box.
  private func enrolledKeySlots(
    _ opened: borrowing OpenNamespace
  ) throws(UserMessage) -> [KeySlot] {
    do throws(BackupFolderError) {
      return try opened.allKeySlots()
    } catch {
      throw UserMessage(error)
    }
  }

  private var rpID: String { unlock.relyingParty.rpId ?? BackupRelyingPartyOption.standard }

  private func report(
    _ keyID: KeyID, _ credential: CredentialID, _ name: String,
    _ opened: borrowing OpenNamespace, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let sharing = opened.keySlots(sharing: name, besides: [keyID])
    try unlock.output(world).result(
      "\"\(PrintableText.name(name, limit: 40))\" opens the backup now.",
      json: [
        "namespace_id": .string(opened.id.hex), "key_id": .string(keyID.hex),
        "credential_id": .string(CredentialIDArgument.encode(credential.bytes)),
        "rp_id": .string(rpID), "label": .string(name),
        "same_label": .array(sharing.map { .string($0.hex) }),
      ], ofChange: "the key was enrolled all the same")
    unlock.output(world).warn(sharing: sharing, of: name, new: keyID)
    if !unlock.common.json {
      unlock.output(world).note(
        "Keep it somewhere else than the first key. First test it, plugged in alone: keybackup verify "
          + "--deep")
    }
    if let note = UserMessage.readableBy(rpID) { unlock.output(world).note(note) }
    unlock.output(world).note(rotationsOf: opened)
    return .success
  }
}

/// Which security key opens the backup, where another one is the subject.
struct OpenerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Open the backup with the security key at this path.", valueName: "path"))
  var unlockDevice: String?

  @Option(
    help: ArgumentHelp(
      "Open the backup with a key of this relying party.",
      valueName: "id"))
  var unlockRpId: String?

  @Option(
    help: ArgumentHelp(
      "Read the PIN of the key that opens the backup from this file.", valueName: "path"))
  var unlockPinFile: String?

  @Option(
    help: ArgumentHelp(
      "Read the PIN of the key that opens the backup from this open descriptor.", valueName: "n"))
  var unlockPinFd: Int32?

  /// Those that were given.
  var given: GivenOptions {
    GivenOptions([
      "--unlock-device": unlockDevice != nil, "--unlock-rp-id": unlockRpId != nil,
      "--unlock-pin-file": unlockPinFile != nil, "--unlock-pin-fd": unlockPinFd != nil,
    ])
  }

  mutating func validate() throws {
    try DescriptorCheck.check(unlockPinFd, "--unlock-pin-fd")
    if unlockPinFd != nil, unlockPinFile != nil {
      throw ValidationError("give one of --unlock-pin-fd and --unlock-pin-file")
    }
  }

  /// The options for opening: the device that is named for the new key is not
  /// the one that opens.
  ///
  /// - Throws: `no-input` when its PIN file is not there: later it would be taken for that of the
  ///   new key.
  func applied(to options: UnlockOptions) throws(UserMessage) -> UnlockOptions {
    if let unlockPinFile, !FileCheck.exists(unlockPinFile) {
      throw UserMessage(
        .noInput, "the PIN file that --unlock-pin-file names is not there",
        hint: "check --unlock-pin-file: a path belongs there, and never the PIN itself")
    }
    var options = options
    options.device.device = unlockDevice
    if let unlockRpId { options.relyingParty.rpId = unlockRpId }
    if unlockPinFd != nil || unlockPinFile != nil {
      options.pins.pinFd = unlockPinFd
      options.pins.pinFile = unlockPinFile
    }
    return options
  }
}

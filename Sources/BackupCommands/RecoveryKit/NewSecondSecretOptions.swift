internal import ArgumentParser
internal import CSPP
internal import CommandKit
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import Unlocking

/// The second secret of a recovery kit that is being made.
struct NewSecondSecretOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make a security key the second secret: the ID of a credential on it, from keybackup "
        + "credential create.", valueName: "credential"))
  var secretCredential: String?

  @Option(
    help: ArgumentHelp(
      "The relying party of that credential (default: keybackup-derive:).", valueName: "id"))
  var secretRpId: String?

  @Flag(
    help: "Let the desktop's keyring keep a second secret. The kit then needs this computer.")
  var secretFromKeyring = false

  mutating func validate() throws {
    if secretFromKeyring, secretCredential != nil {
      throw ValidationError("one second secret is enough")
    }
    if secretRpId != nil, secretCredential == nil {
      throw ValidationError("--secret-rp-id goes with --secret-credential")
    }
  }

  /// How many PINs ``choose(_:_:)`` needs: the key is asked twice.
  var neededPINs: Int { secretCredential == nil ? 0 : 2 }

  /// A second secret.
  struct Chosen: ~Copyable {
    var kind: KeyHeader.SecondSecret?
    /// Empty without one.
    var secret: SecretBytes
  }

  /// Gets the second secret that the options name.
  ///
  /// - Throws: `prf-unsupported` for a security key that gives two outputs, and
  ///   what files and keys throw.
  func choose(_ unlock: UnlockOptions, _ world: World) async throws(UserMessage) -> Chosen {
    if let path = unlock.recovery.secretFile {
      guard secretCredential == nil, !secretFromKeyring else {
        throw UserMessage(.usage, "one second secret is enough")
      }
      if path != "-", !FileCheck.exists(path) {
        try OutputFile.write(SecondSecretFile.random(), to: path, world.run)
        let file = world.run.typed.naming(path, else: "that --secret-file names")
        unlock.output(world).note(
          required: "Made the second secret \(file). Keep copies of it, unchanged.")
      }
      return Chosen(kind: .file, secret: try SecondSecretFile.read(path, world.streams))
    }
    if secretFromKeyring {
      return Chosen(kind: .keyring, secret: .random(count: KeyringSecondSecret.size))
    }
    guard let secretCredential else { return Chosen(kind: nil, secret: SecretBytes(zeroed: 0)) }
    return try await credential(
      CredentialIDArgument.candidates(secretCredential), unlock, world)
  }

  private func credential(
    _ ids: [[UInt8]], _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) -> Chosen {
    let rpID = secretRpId ?? DeriveRelyingParty.standard
    try DeriveRelyingParty.check(rpID)
    let salt = Randomness.bytes(count: 32)
    let questions = ids.compactMap { UnlockQuestion(rpID: rpID, credentialID: $0, salt: salt) }
    let finder = try unlock.finder(world, for: .secondKey)
    unlock.common.prompter(world).tell("Now the security key that is the second secret, twice.")
    var used: UnlockQuestion?
    let first = try await finder.ask(questions) { answer in
      used = answer.question
      return answer.evaluation.first()
    }
    guard let used, let id = used.credentialID else { throw .nothingOpens(1) }
    let second = try await finder.ask([used]) { $0.evaluation.first() }
    guard first.isEqual(to: second) else {
      throw UserMessage(
        .prfUnsupported, "the security key gave two different outputs for one question",
        hint: "nothing was written; this key cannot be used")
    }
    return Chosen(
      kind: .securityKey(rpID: rpID, credentialID: id.bytes, prfSalt: salt), secret: first)
  }
}

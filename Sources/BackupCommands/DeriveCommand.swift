package import ArgumentParser
package import CommandKit
internal import CommandSupport
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import SyncFolders
internal import Unlocking

/// `keybackup derive`: a PRF output, for scripts.
package struct DeriveCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "derive",
    abstract: "Print the security key's PRF output for a salt.",
    discussion: """
      Every credential derives other secrets: a spare key that opens the same backup gives \
      another output.
      By default the salt is a WebAuthn PRF input. The output equals what a browser gets \
      from the same credential.
      With --raw-salt the 32 bytes go to the key as they are. The output equals that of \
      fido2-assert -G -h.
      A credential that other software protects at level 3 is found only on a key named with \
      --device.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions

  @Option(
    help: ArgumentHelp(
      "The salt: text, hex:..., base64:..., file:PATH or - for standard input.",
      valueName: "salt"))
  var salt: String

  @Option(help: ArgumentHelp("A second salt, evaluated in the same touch.", valueName: "salt"))
  var secondSalt: String?

  @Flag(help: "Send the salt, exactly 32 bytes, to the key as it is.")
  var rawSalt = false

  @Option(
    help: ArgumentHelp("The credential (default: the discoverable one).", valueName: "id"))
  var credential: String?

  @Option(help: ArgumentHelp("Relying party ID of the credential.", valueName: "id"))
  var rpId = DeriveRelyingParty.standard

  @Option(help: ArgumentHelp("How the output is written.", valueName: "encoding"))
  var encoding = SecretEncoding.hex

  @Option(
    help: ArgumentHelp(
      "Write to this new file instead, or - for standard output.", valueName: "file"))
  var out: String?

  @Flag(help: "Print the output even on a terminal.")
  var reveal = false

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    if salt == "-", secondSalt == "-" {
      throw ValidationError("only one salt can come from standard input")
    }
    try pins.requireOtherInput(than: salt, secondSalt)
    try folder.refuseNamespace()
    if file != nil { try GivenOptions(["--reveal": reveal]).refuse(besides: "--out FILE") }
    if common.json {
      try GivenOptions(["--encoding": encoding != .hex])
        .refuse(besides: "--json, which has hex digits")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try DeriveRelyingParty.check(rpId)
    let request = try request(world)
    let enrolled = try EnrolledCredentials.known(world, folder)
    if file == nil, !reveal { try common.output(world).requireNoTerminal("the output") }
    try OutputFile.requireFree(file)
    try place.requirePrivate(
      file, printed: file == nil ? common.output(world).resultFile : nil, besides: folder.folder,
      world)
    let finder = try AuthenticatorFinder(common, device, pins, world)
    let evaluation = try await enrolled.otherEvaluation(
      request, finder, options: "--credential and --rp-id"
    ) { key in
      UserMessage(
        .wrongKey, "\(key) holds no credential for \(rpId)",
        hint: "make one: keybackup credential create"
          + (rpId == DeriveRelyingParty.standard ? "" : " --rp-id \(rpId)")
          + "; or use the key that has one; one that takes no slot is named with --credential")
    }
    try write(evaluation, world)
    return .success
  }

  private func request(_ world: World) throws(UserMessage) -> PRFRequest {
    let first = try input(salt, world)
    let second: PRFInput?
    if let secondSalt { second = try input(secondSalt, world) } else { second = nil }
    var ids: [CredentialID] = []
    if let credential {
      ids = try CredentialIDArgument.candidates(credential).map { CredentialID($0) }
    }
    return PRFRequest(rpID: rpId, credentialIDs: ids, first: first, second: second)
  }

  private func input(_ argument: String, _ world: World) throws(UserMessage) -> PRFInput {
    let bytes = try SaltArgument(argument, raw: rawSalt, world.streams).bytes
    guard rawSalt else { return .webAuthn(bytes) }
    do throws(PRFDeviceError) {
      return try .raw(bytes)
    } catch {
      throw UserMessage(error)
    }
  }

  private func write(_ evaluation: PRFEvaluation, _ world: World) throws(UserMessage) {
    let text = common.json ? json(evaluation) : plain(evaluation)
    guard let path = file else {
      try common.output(world).result(secret: text)
      return
    }
    try OutputFile.write(text, to: path, world.run)
    guard common.json else { return }
    try common.output(world).result(
      json: [
        "credential_id": .string(CredentialIDArgument.encode(evaluation.credentialID.bytes)),
        "rp_id": .string(rpId), "uv": true,
      ], ofChange: "\(ShellWord.quoted(path)) was written all the same")
  }

  /// The file to write, or nil for standard output.
  private var file: String? { out == "-" ? nil : out }

  private func plain(_ evaluation: PRFEvaluation) -> SecretBytes {
    var text = SecretText()
    text.append(evaluation.first(), as: encoding)
    if let second = evaluation.second() { text.append(second, as: encoding) }
    return text.finish()
  }

  private func json(_ evaluation: PRFEvaluation) -> SecretBytes {
    let id = JSONOutput.string(CredentialIDArgument.encode(evaluation.credentialID.bytes)).text
    var text = SecretText()
    text.append("{\"credential_id\":\(id),\"prf\":[\"")
    text.append(hex: evaluation.first())
    if let second = evaluation.second() {
      text.append("\",\"")
      text.append(hex: second)
    }
    text.append("\"],\"rp_id\":\(JSONOutput.string(rpId).text),\"schema\":1,\"uv\":true}\n")
    return text.finish()
  }
}

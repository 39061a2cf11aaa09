internal import ArgumentParser
internal import PRFDevice

/// `keybackup credential create`: a credential for `derive`.
struct CredentialCreateCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a credential for derive and print its ID.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions

  @Option(help: ArgumentHelp("Relying party ID of the credential.", valueName: "id"))
  var rpId = DeriveRelyingParty.standard

  @Option(
    help: ArgumentHelp("User name that other tools show for the credential.", valueName: "name"))
  var userName = "keybackup"

  @Flag(help: "Take no slot on the key: the credential works only with its printed ID.")
  var nonDiscoverable = false

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    try DeriveRelyingParty.check(rpId)
    let key = try await KeyFinder(common, device, pins.policy(world)).chosenKey(
      "to make the credential on")
    try await key.offerPIN()
    try await key.requirePRF()
    let request = CredentialRequest(
      rpID: rpId, rpName: rpId, userName: userName, userDisplayName: userName,
      isDiscoverable: !nonDiscoverable,
      protection: .userVerificationOptionalWithCredentialID)
    let credential = try await key.create(request)
    let id = CredentialIDArgument.encode(credential.id.bytes)
    try common.output.result(
      id, json: ["credential_id": .string(id), "rp_id": .string(rpId)],
      ofChange: "the credential \(id) was made all the same")
    return .success
  }
}

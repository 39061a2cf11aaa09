package import ArgumentParser
package import CommandKit
internal import PRFDevice
internal import SecurityKeys

/// `keybackup credential create`: a credential for `derive`.
package struct CredentialCreateCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a credential for derive and print its ID.",
    discussion: """
      Every credential derives other secrets. This is so for the same relying party too, and \
      on a spare key that opens the same backup.
      What is protected with one credential needs that credential. Losing the key loses the \
      secret.
      """)

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

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try DeriveRelyingParty.check(rpId)
    let key = try await AuthenticatorFinder(common, device, pins, world).chosenKey(
      "to make the credential on")
    try await key.offerPIN()
    try await key.requirePRF()
    let others = try await key.stored(of: rpId)
    if !others.isEmpty { common.output(world).note(Self.words(for: others, rpId, key)) }
    let request = CredentialRequest(
      rpID: rpId, rpName: rpId, userName: userName, userDisplayName: userName,
      isDiscoverable: !nonDiscoverable,
      protection: .userVerificationOptionalWithCredentialID)
    let credential = try await key.create(request)
    let id = CredentialIDArgument.encode(credential.id.bytes)
    try common.output(world).result(
      id,
      json: [
        "credential_id": .string(id), "rp_id": .string(rpId),
        "others": .array(others.map(JSONOutput.string)),
      ], ofChange: "the credential \(id) was made all the same")
    return .success
  }

  private static func words(for others: [String], _ rpID: String, _ key: OpenAuthenticator)
    -> String
  {
    let what = others.count == 1 ? "a credential" : "\(others.count) credentials"
    return "keybackup: \(key.name) already holds \(what) for \(rpID) with the ID "
      + others.joined(separator: ", ")
      + ". Each derives other secrets. With several, derive needs --credential ID."
  }
}

extension OpenAuthenticator {
  /// IDs of a relying party's discoverable credentials, as far as the key tells
  /// with its PIN and without a touch.
  ///
  /// The PIN goes to the key once for this and once for the new credential. libfido2 takes
  /// a PIN in each call and gets its own token for it. A caller cannot pass a token.
  ///
  /// - Throws: what the PIN can.
  fileprivate func stored(of rpID: String) async throws(UserMessage) -> [String] {
    let info = try await call { key throws(PRFDeviceError) in try await key.info() }
    let verification = try await call { key throws(PRFDeviceError) in
      try await key.userVerification()
    }
    // A finger would be one more touch.
    let asksForFinger = verification.isBuiltIn && finder.pins.source == nil
    guard info.supportsCredentialManagement, verification.isPINSet, !asksForFinger else {
      return []
    }
    do throws(UserMessage) {
      return try await withPIN { authenticator, pin throws(PRFDeviceError) in
        try await authenticator.credentials(of: rpID, pin: pin)
      }.map { CredentialIDArgument.encode($0.id.bytes) }
    } catch  where error.code == .prfUnsupported || error.code == .io {
      // It announces that it can list them, and cannot: the note is dispensable.
      return []
    }
  }
}

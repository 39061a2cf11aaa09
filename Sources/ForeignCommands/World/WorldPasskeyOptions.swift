internal import ArgumentParser
internal import CommandKit
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys
internal import Unlocking

/// A security key as the factor: World App's passkey, and the input of its PRF.
struct WorldPasskeyOptions: ParsableArguments {
  @Flag(help: "Take the factor secret from the passkey on a key.")
  var securityKey = false

  @Option(help: ArgumentHelp("Its relying party ID.", valueName: "id"))
  var passkeyRpId = WorldPasskey.relyingParty

  @Option(
    help: ArgumentHelp("The passkey (default: the discoverable one).", valueName: "id"))
  var credential: String?

  @Option(
    help: ArgumentHelp(
      "A second salt to try, as derive --salt takes it.", valueName: "salt"))
  var legacySalt: String?

  @Flag(help: "Send that salt, 32 bytes, to the key as it is.")
  var rawSalt = false

  @OptionGroup var factorKey: FactorKeyOption

  mutating func validate() throws {
    guard securityKey || !hasDetails else {
      throw ValidationError(
        "--credential, --factor-device, --passkey-rp-id and the salt go with --security-key")
    }
    if rawSalt, legacySalt == nil { throw ValidationError("--raw-salt goes with --legacy-salt") }
    if legacySalt == "-" { throw ValidationError("--legacy-salt - is not taken: use file:PATH") }
  }

  /// Whether any of these options is given.
  var isGiven: Bool { securityKey || hasDetails }

  private var hasDetails: Bool {
    credential != nil || factorKey.factorDevice != nil || legacySalt != nil || rawSalt
      || passkeyRpId != WorldPasskey.relyingParty
  }
}

/// World App's passkey.
enum WorldPasskey {
  /// The relying party ID.
  static let relyingParty = "keys.world.app"
  /// The input of WebAuthn's `prf` extension.
  static let salt = Array("world-app-backup".utf8)

  /// Evaluates the passkey's PRF on a security key, in one touch.
  ///
  /// - Parameters:
  ///   - options: the passkey and a second salt.
  ///   - finder: finds the security key.
  ///   - enrolled: the credentials that open backups, none of which is used.
  ///   - world: where the salt is read.
  /// - Returns: the output for World App's salt, and for the second one.
  /// - Throws: `wrong-key`, `usage`, and the errors of the security key.
  static func evaluate(
    _ options: WorldPasskeyOptions, _ finder: AuthenticatorFinder,
    besides enrolled: EnrolledCredentials, _ world: World
  ) async throws(UserMessage) -> PRFEvaluation {
    let rpID = options.passkeyRpId
    try DeriveRelyingParty.check(rpID)
    var request = PRFRequest(rpID: rpID, first: .webAuthn(salt))
    if let second = options.legacySalt {
      let bytes = try SaltArgument(second, raw: options.rawSalt, world.streams).bytes
      request.second = options.rawSalt ? try raw(bytes) : .webAuthn(bytes)
    }
    if let credential = options.credential {
      request.credentialIDs = try CredentialIDArgument.candidates(credential).map(CredentialID.init)
    }
    return try await options.factorKey.evaluation(
      enrolled, request, finder, why: "for the factor secret",
      options: "--credential and --passkey-rp-id"
    ) { key in
      UserMessage(
        .wrongKey, "\(key) holds no passkey for \"\(rpID)\"",
        hint: "plug in the key that World App's passkey is on; "
          + "a passkey that never leaves a phone or a cloud cannot be used here")
    }
  }

  private static func raw(_ bytes: [UInt8]) throws(UserMessage) -> PRFInput {
    do throws(PRFDeviceError) {
      return try .raw(bytes)
    } catch {
      throw UserMessage(error)
    }
  }
}

package import ArgumentParser
package import CommandKit
package import PRFDevice
package import SecurityKeys

/// `--factor-device`: the security key that helps to open another program's backup.
///
/// It may be another one than the key that opens this backup for `--add`.
package struct FactorKeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Path of the secret's key (default: --device).", valueName: "path"))
  package var factorDevice: String?

  package init() {}

  /// Creates the finder of that key.
  ///
  /// - Parameters:
  ///   - common: the options of every command.
  ///   - device: those of the command's keys.
  ///   - pins: where their PINs come from.
  ///   - furtherPINs: the PINs that the command needs from `--pin-fd` after that key's.
  ///   - world: what surrounds the process.
  /// - Returns: what finds it.
  /// - Throws: `config` when this computer's settings cannot be used.
  package func finder(
    _ common: CommonOptions, _ device: DeviceOptions, _ pins: PINOptions, furtherPINs: Int = 0,
    _ world: World
  ) throws(UserMessage) -> AuthenticatorFinder {
    let settings = try SettingsFile.load(world)
    var policy = try pins.policy(world, settings)
    policy.furtherPINs = furtherPINs
    policy.order = "first the one of the secret, then the one that opens the backup"
    var device = device
    device.device = factorDevice ?? device.device
    return AuthenticatorFinder(common, device, policy, settings, world)
  }

  /// Evaluates that key's PRF, as `otherEvaluation` does; where several keys are in reach, the hint
  /// names this option.
  ///
  /// - Parameters:
  ///   - enrolled: the credentials that open backups, none of which is used.
  ///   - request: the inputs.
  ///   - finder: finds the key.
  ///   - why: what the touch is for.
  ///   - options: the options that name the credential, for messages.
  ///   - none: the message where the key of this name holds no discoverable credential.
  /// - Returns: the outputs.
  /// - Throws: as `otherEvaluation`.
  package func evaluation(
    _ enrolled: EnrolledCredentials, _ request: PRFRequest, _ finder: AuthenticatorFinder,
    why: String, options: String, none: (String) -> UserMessage
  ) async throws(UserMessage) -> PRFEvaluation {
    do throws(UserMessage) {
      return try await enrolled.otherEvaluation(
        request, finder, why: why, options: options, none: none)
    } catch  where error.code == .ambiguous && request.credentialIDs.isEmpty {
      var message = error
      message.hint = error.hint?.replacing(" --device:", with: " --factor-device:")
      throw message
    }
  }
}

package import ArgumentParser
package import CommandKit
internal import PRFDevice

/// `keybackup pin set`: the first PIN of a new security key.
package struct PINSetCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the PIN of a security key that has none.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var new: NewPINOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let settings = try SettingsFile.load(world)
    let finder = AuthenticatorFinder(
      common, device, PINPolicy(programs: PINPrograms(world, settings)), settings, world)
    let key = try await finder.chosenKey("to set a PIN for")
    let info = try await key.call { key throws(PRFDeviceError) in try await key.info() }
    guard info.supportsPIN else {
      throw UserMessage(.prfUnsupported, "\(key.name) has no PIN feature")
    }
    guard !info.isPINSet else {
      try await key.requireTriesLeft()
      throw UserMessage(.pinAlreadySet, key: key.name)
    }
    let pin = try new.read(for: key, minimum: info.minimumPINLength)
    try await key.call { key throws(PRFDeviceError) in try await key.setPIN(pin) }
    if common.json {
      try common.output(world).result(json: [:], ofChange: "the PIN was set all the same")
    } else {
      common.output(world).note(
        "The PIN of \(key.name) is set. It guards the whole key. Eight wrong tries lock the key for "
          + "good.")
    }
    return .success
  }
}

package import ArgumentParser
package import CommandKit
internal import PRFDevice

/// `keybackup pin change`: another PIN; credentials and backups stay valid.
package struct PINChangeCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "change",
    abstract: "Change a security key's PIN. Its credentials and backups stay valid.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var new: NewPINOptions

  package init() {}

  package mutating func validate() throws {
    // The new PIN would be read first, and the wrong line be tried.
    if let descriptor = new.newPinFd, descriptor == pins.pinFd {
      throw ValidationError("the current and the new PIN need a descriptor each")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let key = try await AuthenticatorFinder(common, device, pins, world).chosenKey(
      "whose PIN to change")
    let info = try await key.call { key throws(PRFDeviceError) in try await key.info() }
    guard info.isPINSet else { throw UserMessage(.pinNotSet, key: key.name) }
    try await key.requireTriesLeft()
    // The new PIN comes first when it is read from a descriptor or file: a bad
    // one must not cost a try of the current PIN.
    let pin = try new.read(for: key, minimum: info.minimumPINLength)
    try await key.withPIN(changesPIN: true) { key, current throws(PRFDeviceError) in
      try await key.changePIN(from: current, to: pin)
    }
    if case .setting(let setting) = key.finder.pins.source, setting.isAlwaysThere {
      common.output(world).warn(
        "keybackup: \(PrintableText.name(setting.value, limit: 300)) still holds the old PIN; "
          + "write the new one into it, or each command spends a try")
    }
    if common.json {
      try common.output(world).result(json: [:], ofChange: "the PIN was changed all the same")
    } else {
      common.output(world).note("The PIN of \(key.name) is changed.")
    }
    return .success
  }
}

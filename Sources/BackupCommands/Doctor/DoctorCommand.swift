package import ArgumentParser
package import CommandKit
internal import PRFDevice
internal import SecurityKeys

/// `keybackup doctor`: whether everything is in place, and what to do where not.
package struct DoctorCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check keys, permissions and this computer; say what to do.",
    discussion: """
      Needs no PIN and no touch, and changes nothing.
      The exit code is that of the first failed line. Warnings do not count.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var folder: FolderOptions

  package init() {}

  package mutating func validate() throws {
    try (GivenOptions(["--wait": device.wait != nil]) + device.givenForTouch)
      .refuse(without: "a command that uses a key")
    try folder.refuseNamespace()
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let access = DeviceAccessCheck.run(world.devices)
    var checks = [access, UdevRules().check]
    // That one which may not be opened is out of reach was said.
    checks += try await keys(world, mayBeNone: access.status == .failed)
    checks += ProcessChecks.run()
    checks.append(LibraryCheck.run())
    if let problem = ClockCheck.problem(world.now()) {
      checks.append(.warning("clock", problem.message, hint: problem.hint ?? ""))
    }
    checks += KeyringChecks.run(world)
    checks += FolderChecks.run(folder, world)
    if common.json {
      try common.output(world).result(json: ["checks": .array(checks.map(\.json))])
    } else {
      for line in checks.flatMap(\.lines) {
        // The lines of a rule's file are copied.
        if line.contains("==") {
          try common.output(world).result(laidOut: line)
        } else {
          try common.output(world).result(line, hanging: line.hasPrefix(" ") ? nil : Check.margin)
        }
      }
    }
    return checks.first { $0.status == .failed }?.code ?? .success
  }

  /// The keys in reach, on whatever way.
  private func keys(_ world: World, mayBeNone: Bool) async throws(UserMessage) -> [Check] {
    let finder = AuthenticatorFinder(
      common, device, PINPolicy(), SettingsFile(path: nil), world)
    let report = await world.devices.readers()
    var checks: [Check] = []
    let found = (try? world.devices.pluggedIn()) ?? []
    let all = (found + report.authenticators).filter {
      device.device == nil || $0.path == device.device
    }
    for descriptor in all {
      if Interruption.received { throw .interrupted }
      checks.append(await KeyCheck.run(descriptor, finder))
    }
    if all.isEmpty, !mayBeNone { checks.append(KeyCheck.none(device.device)) }
    return ReaderChecks.run(report, keyIsUsable: checks.contains { $0.status == .ok }) + checks
  }
}

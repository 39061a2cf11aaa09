package import ArgumentParser
package import CommandKit
internal import PRFDevice

/// `keybackup devices`: every security key in reach and what it can do.
package struct DevicesCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the security keys in reach and what they can do.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions

  package init() {}

  package mutating func validate() throws {
    try device.givenForTouch.refuse(without: "a command that asks for a touch")
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let finder = AuthenticatorFinder(
      common, device, PINPolicy(), try SettingsFile.load(world), world)
    let output = common.output(world)
    var devices: [JSONOutput] = []
    var lines: [String] = []
    // A list of nothing is an answer: waits only when told to.
    for descriptor in try await finder.descriptors(waiting: device.wait ?? 0) {
      do throws(UserMessage) {
        let key = try await finder.open(descriptor)
        let (info, retries) = try await key.description()
        await key.authenticator.close()
        devices.append(Self.json(descriptor, info, retries))
        lines += Self.text(descriptor, info, retries)
      } catch  where error.code != .interrupted {
        // One broken key must not hide the others; it is listed with its error.
        devices.append([
          "path": .string(descriptor.path), "product": .string(descriptor.product),
          "transport": .string(descriptor.transport.rawValue),
          "error": .string(error.word),
        ])
        lines.append("\(descriptor.path)  \(OpenAuthenticator.name(of: descriptor))")
        lines.append("  \(error.message)")
      }
    }
    let report = await world.devices.readers()
    if common.json {
      try output.result(json: [
        "devices": .array(devices), "readers": .array(report.readers.map(Self.json)),
        "pcscd": .string(report.service.rawValue),
      ])
    } else {
      for line in lines + report.readers.map(Self.text) { try output.result(line) }
    }
    return .success
  }

  private static func json(_ reader: CardReader) -> JSONOutput {
    ["name": .string(reader.name), "state": .string(reader.state.rawValue)]
  }

  private static func text(_ reader: CardReader) -> String {
    let state =
      switch reader.state {
      case .empty: "no card"
      case .authenticator: "a security key, listed above"
      case .otherCard: "a card without FIDO"
      case .busy: "a card that another program is using"
      case .noAnswer: "a card that does not answer; lay it flat and hold it still"
      case .partOfKey: "part of a security key that is plugged in"
      }
    return "reader  \(PrintableText.name(reader.name)): \(state)"
  }

  private static func json(
    _ descriptor: AuthenticatorDescriptor, _ info: AuthenticatorInfo, _ retries: Int?
  ) -> JSONOutput {
    [
      "path": .string(descriptor.path),
      "product": .string(descriptor.product),
      "manufacturer": .string(descriptor.manufacturer),
      "transport": .string(descriptor.transport.rawValue),
      "aaguid": .string(info.aaguid.description),
      "versions": .array(info.versions.map(JSONOutput.string)),
      "hmac_secret": .bool(info.supportsPRF),
      "pin_set": .bool(info.isPINSet),
      "pin_retries": .optional(retries),
      "uv": .bool(info.hasBuiltInUserVerification),
    ]
  }

  private static func text(
    _ descriptor: AuthenticatorDescriptor, _ info: AuthenticatorInfo, _ retries: Int?
  ) -> [String] {
    let pin =
      switch (info.isPINSet, retries) {
      case (true, 0): "blocked for good (keybackup pin --help)"
      case (true, let retries?): "set, \(UserMessage.tries(retries)) left"
      case (true, nil): "set"
      case (false, _): "not set (keybackup pin set)"
      }
    return [
      "\(descriptor.path)  "
        + (descriptor.isOnReader ? "security key " : "\(OpenAuthenticator.name(of: descriptor)) ")
        + "(\(descriptor.transport.rawValue.uppercased()))",
      "  model (AAGUID)  \(info.aaguid)",
      "  versions        \(info.versions.map { PrintableText.name($0) }.joined(separator: ", "))",
      "  hmac-secret     \(info.supportsPRF ? "yes" : "no: this key cannot be used")",
      "  PIN             \(pin)",
      "  fingerprint     \(info.hasBuiltInUserVerification ? "yes" : "no")",
    ]
  }
}

package import ArgumentParser
internal import BackupFolder
package import CommandKit
internal import PRFDevice
internal import SecurityKeys

/// `keybackup credential list`: the discoverable credentials of a key.
package struct CredentialListCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the discoverable credentials on a security key.",
    discussion: """
      The key does not store credentials that were made with --non-discoverable, so they are \
      not listed.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions

  @Option(help: ArgumentHelp("Only those of this relying party.", valueName: "id"))
  var rpId: String?

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let key = try await AuthenticatorFinder(common, device, pins, world).chosenKey("to list")
    let stored = try await key.withPIN { authenticator, pin throws(PRFDeviceError) in
      try await authenticator.credentials(pin: pin)
    }.filter { rpId == nil || $0.rpID == rpId }
    // Not what the folder says: anyone who writes to it could name any credential.
    let known = world.stateFolder.map { BackupFolder.rememberedCredentials(in: $0) } ?? []
    defer {
      for credential in stored where known.contains(credential.id.bytes) {
        common.output(world).note(
          "\(CredentialIDArgument.encode(credential.id.bytes)) opened a backup on this computer.")
      }
    }
    if common.json {
      try common.output(world).result(json: [
        "credentials": .array(
          stored.map { credential -> JSONOutput in
            [
              "credential_id": .string(CredentialIDArgument.encode(credential.id.bytes)),
              "rp_id": .string(credential.rpID), "user_name": .optional(credential.userName),
              "opened_backup": .bool(known.contains(credential.id.bytes)),
            ]
          })
      ])
      return .success
    }
    if stored.isEmpty {
      common.output(world).note("No discoverable credentials on \(key.name).")
      return .success
    }
    // The ID comes last: it is long, and must not be cut.
    try common.output(world).result(
      Table(
        columns: [
          Table.Column("RELYING PARTY"), Table.Column("USER", least: 8, rank: 0),
          Table.Column("ID"),
        ],
        rows: stored.map { credential in
          let user = PrintableText.name(credential.userName ?? "", limit: 40)
          return [
            PrintableText.name(credential.rpID), user.isEmpty ? "-" : user,
            CredentialIDArgument.encode(credential.id.bytes),
          ]
        }))
    return .success
  }
}

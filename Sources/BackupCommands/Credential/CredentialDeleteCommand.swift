package import ArgumentParser
package import CommandKit
internal import PRFDevice
internal import SecurityKeys
internal import Unlocking

/// `keybackup credential delete`: removes a discoverable credential.
package struct CredentialDeleteCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a discoverable credential from a security key, for good.",
    discussion: """
      Some keys go on answering for the deleted credential's ID.
      If it opens a backup, first take it out of the backup with keybackup key remove, and \
      then run keybackup rotate --master-key.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions

  @Argument(help: ArgumentHelp("The credential's ID.", valueName: "credential-id"))
  var credential: String

  @Flag(help: "Delete it even if it may open a backup.")
  var force = false

  package init() {}

  package mutating func validate() throws { try folder.refuseNamespace() }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let wanted = try CredentialIDArgument.candidates(credential)
    let enrolled = try EnrolledCredentials.everywhere(world, folder)
    let key = try await AuthenticatorFinder(common, device, pins, world).chosenKey(
      "to delete it from")
    let deleted = try await key.withPIN { authenticator, pin throws(PRFDeviceError) in
      let stored = try await authenticator.credentials(pin: pin)
      guard let found = stored.first(where: { wanted.contains($0.id.bytes) }) else {
        return Deletion.notFound
      }
      // Every credential of the backups' relying party is taken for one that
      // opens a backup: its folder may be on another computer.
      guard
        force
          || (found.rpID != BackupRelyingPartyOption.standard
            && !enrolled.contains(found.id.bytes))
      else { return Deletion.enrolled }
      try await authenticator.deleteCredential(found.id, pin: pin)
      return Deletion.done(found.id)
    }
    switch deleted {
    case .notFound:
      throw UserMessage(
        .noInput, "\(key.name) holds no discoverable credential with this ID",
        hint: "to see which it holds: keybackup credential list")
    case .enrolled:
      throw UserMessage(
        .usage, "this credential may be what opens a backup, so it was not deleted",
        hint: "if you are sure that no backup needs it, add --force")
    case .done(let id):
      let text = CredentialIDArgument.encode(id.bytes)
      if common.json {
        try common.output(world).result(
          json: ["credential_id": .string(text)], ofChange: "\(text) was deleted all the same")
      } else {
        common.output(world).note("Deleted \(text).")
      }
      return .success
    }
  }

  private enum Deletion: Sendable {
    case notFound
    case enrolled
    case done(CredentialID)
  }
}

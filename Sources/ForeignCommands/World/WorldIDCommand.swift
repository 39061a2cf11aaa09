package import ArgumentParser
package import CommandKit
internal import ForeignBackups

/// `keybackup foreign world id`: the account that a root secret belongs to.
package struct WorldIDCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "id", abstract: "Print the backup account ID of a root secret.",
    discussion: """
      The ID is public: World's server knows the backup by it. It is computed from the root secret, \
      which stays inside.
      """)

  @OptionGroup var root: WorldRootOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let key = try await root.accountKey(world)
    let output = root.common.output(world)
    if root.common.json {
      try output.result(json: ["account_id": .string(key.id)])
    } else {
      try output.result(key.id)
    }
    return .success
  }
}

internal import ArgumentParser

/// `keybackup credential`: bare PRF credentials, for `derive`.
struct CredentialGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential",
    abstract: "Create, list and delete credentials on a security key.",
    subcommands: [
      CredentialCreateCommand.self, CredentialListCommand.self, CredentialDeleteCommand.self,
    ])
}

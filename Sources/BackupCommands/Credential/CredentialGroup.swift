package import ArgumentParser

/// `keybackup credential`: bare PRF credentials, for `derive`.
package struct CredentialGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "credential",
    abstract: "Create, list and delete credentials on a security key.",
    subcommands: [
      CredentialCreateCommand.self, CredentialListCommand.self, CredentialDeleteCommand.self,
    ])

  package init() {}
}

package import ArgumentParser

/// `keybackup nostr`: Nostr identities from a security key.
package struct NostrGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "nostr",
    abstract: "Use Nostr identities that a security key derives.",
    subcommands: [
      NostrCreateCommand.self, NostrPubkeyCommand.self, NostrDeriveCommand.self,
      NostrSignCommand.self, NostrExportCommand.self, NostrListCommand.self, NostrSaveCommand.self,
      NostrEncodeCommand.self, NostrDecodeCommand.self, NostrValidateCommand.self,
    ])

  package init() {}
}

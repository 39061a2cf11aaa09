internal import ArgumentParser

/// `keybackup nostr`: Nostr identities from a security key.
struct NostrGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nostr",
    abstract: "Use Nostr identities that a security key derives.",
    subcommands: [
      NostrCreateCommand.self, NostrPubkeyCommand.self, NostrDeriveCommand.self,
      NostrSignCommand.self, NostrExportCommand.self, NostrListCommand.self, NostrSaveCommand.self,
      NostrEncodeCommand.self, NostrDecodeCommand.self, NostrValidateCommand.self,
    ])
}

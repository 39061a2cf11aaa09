internal import ArgumentParser

/// `keybackup nostr`: Nostr identities from a security key.
struct NostrGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nostr",
    abstract: "Nostr identities from a security key, with no secret stored anywhere.",
    subcommands: [
      NostrCreateCommand.self, NostrPubkeyCommand.self, NostrDeriveCommand.self,
      NostrSignCommand.self, NostrExportCommand.self, NostrListCommand.self, NostrSaveCommand.self,
      NostrEncodeCommand.self, NostrDecodeCommand.self, NostrValidateCommand.self,
    ])
}

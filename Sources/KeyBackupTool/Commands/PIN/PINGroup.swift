internal import ArgumentParser

/// `keybackup pin`: the security key's PIN.
struct PINGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Set or change a security key's PIN.",
    subcommands: [PINSetCommand.self, PINChangeCommand.self])
}

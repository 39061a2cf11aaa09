package import ArgumentParser

/// `keybackup pin`: the security key's PIN.
package struct PINGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Set or change a security key's PIN.",
    subcommands: [PINSetCommand.self, PINChangeCommand.self])

  package init() {}
}

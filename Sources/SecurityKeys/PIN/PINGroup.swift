package import ArgumentParser

/// `keybackup pin`: the security key's PIN.
package struct PINGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Set or change a security key's PIN.",
    discussion: """
      Nobody can read out a forgotten PIN, and at 0 tries the key locks for good. Only a reset then \
      helps, which destroys every credential on the key. First see that another key or a recovery \
      kit opens the backup (keybackup verify --deep), and remove this one (keybackup key remove). \
      Then plug it in, and within ten seconds run fido2-token -R with its path. At last give it a \
      PIN, and enrol it again: keybackup key add.
      """,
    subcommands: [PINSetCommand.self, PINChangeCommand.self])

  package init() {}
}

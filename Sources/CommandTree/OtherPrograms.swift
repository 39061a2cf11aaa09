package import ArgumentParser
internal import CommandKit

/// `keybackup foreign`, which `keybackup-foreign` runs.
package struct ForeignProgram: OtherProgramGroup {
  package static let configuration = CommandConfiguration(
    commandName: "foreign", abstract: "Open backups that other programs wrote.")
  package static let program = "keybackup-foreign"
  package static let commands = ["sealvault", "world", "celo"]
  package static let debianPackage = "keybackup-foreign"

  package init() {}
}

/// `keybackup nostr`, which `keybackup-nostr` runs.
package struct NostrProgram: OtherProgramGroup {
  package static let configuration = CommandConfiguration(
    commandName: "nostr", abstract: "Use Nostr identities that a security key derives.")
  package static let program = "keybackup-nostr"
  package static let commands = [
    "create", "pubkey", "derive", "sign", "export", "list", "save", "encode", "decode", "validate",
  ]
  package static let debianPackage = "keybackup-foreign"

  package init() {}
}

/// `keybackup guard`, which `keybackup-guard-commands` runs: `keybackup-guard` is the server.
package struct GuardWaysProgram: OtherProgramGroup {
  package static let configuration = CommandConfiguration(
    commandName: "guard", abstract: "Make a PIN or a login a way in, with guards that help.")
  package static let program = "keybackup-guard-commands"
  package static let commands = ["add", "status", "reset", "renew", "retire", "veto"]
  package static let debianPackage = "keybackup-guard"

  package init() {}
}

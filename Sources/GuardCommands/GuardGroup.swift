package import ArgumentParser

/// `keybackup guard`: ways in with guards.
package struct GuardGroup: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "guard",
    abstract: "Make a PIN or a login a way in, with guards that help.",
    discussion: """
      Guards are small servers that you or your friends run. Each lets a PIN be tried seldom, \
      or helps only who logs in. None learns the PIN or what is backed up.
      A way in with guards never counts as the second one. Keep a security key or a recovery \
      kit too.
      """,
    subcommands: [
      GuardAddCommand.self, GuardStatusCommand.self, GuardResetCommand.self,
      GuardRenewCommand.self, GuardRetireCommand.self, GuardVetoCommand.self,
    ])

  package init() {}
}

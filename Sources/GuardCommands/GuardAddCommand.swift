package import ArgumentParser
internal import BackupCommands
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import GuardProtocol
internal import SyncFolders
internal import Unlocking

/// `keybackup guard add`: makes a PIN or a login a way in.
package struct GuardAddCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make a PIN or a login a way in, with guards that help.",
    discussion: """
      Each guard makes an account and shows its ID. The random PIN is shown once.
      Open the backup by another way in for it.
      After an interruption run the same command again within a day. It goes on where it was.
      Take guards that different people run. More than half of them must be needed.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var new: NewGuardOptions

  @Flag(help: "Make a PIN the way in.")
  var pin = false

  @Flag(help: "Make a password the way in: it has more tries.")
  var password = false

  @Option(
    help: ArgumentHelp("Make a login at this OpenID provider the way in.", valueName: "issuer"))
  var login: String?

  @Option(
    help: ArgumentHelp(
      "A guard's address, or ID=URL; one for each guard.", valueName: "url|id=url"))
  var server: [String]

  @Option(help: ArgumentHelp("How many are needed: more than half of the guards.", valueName: "n"))
  var threshold: Int

  @Option(
    help: ArgumentHelp(
      "Tries of a PIN: pin (20) or password (105).",
      valueName: "name"))
  var schedule: String?

  @Option(
    help: ArgumentHelp(
      "How long a login waits: 24h, 3d, 0 (default: 24h).",
      valueName: "time"))
  var delay: String?

  @Option(help: ArgumentHelp("The client ID at the OpenID provider.", valueName: "id"))
  var clientId: String?

  @Option(help: ArgumentHelp("What to call the way in.", valueName: "name"))
  var label: String?

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  package mutating func validate() throws {
    guard [pin, password, login != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("give one of --pin, --password and --login")
    }
    if let problem = NamedGuard.problem(server) { throw ValidationError(problem) }
    if let problem = GuardThreshold.problem(needing: threshold, of: server.count) {
      throw ValidationError(problem)
    }
    if let schedule, DelaySchedule(rawValue: schedule) == nil {
      throw ValidationError("--schedule takes pin or password")
    }
    if let delay, GuardDelay.parse(delay) == nil {
      throw ValidationError("--delay takes 0, 90m, 24h or 3d, and at most 30 days")
    }
    if let label, let problem = KeyLabel.problem(label) { throw ValidationError(problem) }
    if let login {
      guard ServiceURL(login) != nil else {
        throw ValidationError("--login takes the provider's address, which begins with https://")
      }
      guard clientId != nil else {
        throw ValidationError("--login needs --client-id: your client's ID at the provider")
      }
      if schedule != nil || new.isOwn || new.digits != nil || new.pinOut != nil || new.reveal {
        throw ValidationError("a login has no PIN and no schedule")
      }
      try place.given.refuse(besides: "--login")
    } else {
      if delay != nil || clientId != nil {
        throw ValidationError("--delay and --client-id go with --login")
      }
      if !unlock.guards.guardLogin {
        try unlock.guards.loginDetails.refuse(without: "--login or --guard-login")
      }
    }
    if password, new.digits != nil || new.pinOut != nil || new.reveal {
      throw ValidationError("a password is yours: --digits, --pin-out and --reveal are for a PIN")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let addition = GuardAddition(
      unlock: unlock, new: new, plan: try plan(), place: place, world: world)
    return try await addition.run()
  }

  private func plan() throws(UserMessage) -> GuardAddition.Plan {
    let kind: GuardAddition.Kind
    if let login, let issuer = ServiceURL(login), let delay = GuardDelay.parse(delay ?? "24h") {
      kind = .login(issuer, clientID: clientId ?? "", delay)
    } else {
      let named = schedule.flatMap { DelaySchedule(rawValue: $0) }
      kind = .pin(named ?? (password ? .password : .pin), isPassword: password)
    }
    return GuardAddition.Plan(
      kind: kind, guards: server.compactMap { NamedGuard($0) }, needed: threshold,
      label: label ?? kind.label, replaces: nil)
  }
}

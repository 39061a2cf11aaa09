package import ArgumentParser
package import CSPP
package import CommandKit

/// The options for opening a backup with guards: by a PIN or a login.
package struct GuardOptions: ParsableArguments {
  @Flag(help: "Ask for a PIN with guards and open the backup with it.")
  package var guardPin = false

  @Option(
    help: ArgumentHelp(
      "Read the PIN for the guards from this file, which only you may read, or from -.",
      valueName: "path"))
  var guardPinFile: String?

  @Option(
    help: ArgumentHelp("Read the PIN for the guards from this open descriptor.", valueName: "n"))
  var guardPinFd: Int32?

  @Flag(help: "Open the backup with guards and a login.")
  package var guardLogin = false

  @Flag(help: "Log in on another device, and paste the address that its browser ends at.")
  package var pasteLogin = false

  @Flag(help: "Begin with a new login, and forget one that waits for the guards.")
  var newLogin = false

  @Option(
    help: ArgumentHelp(
      "The way in with guards, by its label, its ID or the start of the ID.", valueName: "key"))
  var guardWay: String?

  @OptionGroup package var addresses: GuardAddressOptions

  @Flag(help: "Try the PIN although tries were spent that this computer does not know of.")
  var allowSpentTries = false

  package init() {}

  package mutating func validate() throws {
    try DescriptorCheck.check(guardPinFd, "--guard-pin-fd")
    let sources = [guardPinFile != nil, guardPinFd != nil, guardPin].count { $0 }
    guard sources <= 1 else { throw ValidationError("give the PIN for the guards in one way") }
    if usesPIN, guardLogin { throw ValidationError("--guard-pin and --guard-login: give one") }
    if newLogin, !guardLogin { throw ValidationError("--new-login goes with --guard-login") }
  }

  /// Those that were given.
  package var given: GivenOptions {
    GivenOptions([
      "--guard-pin": guardPin, "--guard-pin-file": guardPinFile != nil,
      "--guard-pin-fd": guardPinFd != nil, "--guard-login": guardLogin, "--new-login": newLogin,
    ]) + details + pinDetails + loginDetails
  }

  /// Those that say more about the guards, and ask none.
  package var details: GivenOptions {
    GivenOptions(["--guard-way": guardWay != nil]) + addresses.given
  }

  /// Those that the commands about guards use themselves.
  package static let own: Set<String> = ["--guard-server", "--guard-ca", "--paste-login"]

  /// Those that say more about a PIN.
  var pinDetails: GivenOptions { GivenOptions(["--allow-spent-tries": allowSpentTries]) }

  /// Those that say more about a login.
  package var loginDetails: GivenOptions { GivenOptions(["--paste-login": pasteLogin]) }

  /// Whether the backup is to be opened with a PIN and guards.
  package var usesPIN: Bool { guardPin || guardPinFile != nil || guardPinFd != nil }

  /// These options for another command, each after a space; none where no guard is used.
  package var again: String { usesPIN ? " --guard-pin" : guardLogin ? " --guard-login" : "" }

  /// Whether the backup is to be opened with guards.
  package var isUsed: Bool { usesPIN || guardLogin }

  /// The addresses that are named for guards.
  package var servers: [GuardID: ServiceURL] { addresses.servers }
}

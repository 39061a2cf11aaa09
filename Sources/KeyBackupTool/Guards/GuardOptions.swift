internal import ArgumentParser
internal import CSPP

/// The options for opening a backup with guards: by a PIN or a login.
struct GuardOptions: ParsableArguments {
  @Flag(help: "Ask for a PIN with guards and open the backup with it.")
  var guardPin = false

  @Option(
    help: ArgumentHelp(
      "Read the PIN for the guards from this file, which only you may read, or from -.",
      valueName: "path"))
  var guardPinFile: String?

  @Option(
    help: ArgumentHelp("Read the PIN for the guards from this open descriptor.", valueName: "n"))
  var guardPinFd: Int32?

  @Flag(help: "Open the backup with guards and a login.")
  var guardLogin = false

  @Flag(help: "Log in on another device, and paste the address that its browser ends at.")
  var pasteLogin = false

  @Option(
    help: ArgumentHelp(
      "The way in with guards, by its label, its ID or the start of the ID.", valueName: "key"))
  var guardWay: String?

  @Option(
    help: ArgumentHelp(
      "Ask a guard at this address. All guards of a way in named so need no confirmation.",
      valueName: "id=url"))
  var guardServer: [String] = []

  @Option(
    help: ArgumentHelp(
      "Also trust the authorities in this PEM file for guards (default: $KEYBACKUP_GUARD_CA).",
      valueName: "file"))
  var guardCa: [String] = []

  @Flag(help: "Try the PIN although tries were spent that this computer does not know of.")
  var allowSpentTries = false

  mutating func validate() throws {
    try DescriptorCheck.check(guardPinFd, "--guard-pin-fd")
    let sources = [guardPinFile != nil, guardPinFd != nil, guardPin].count { $0 }
    guard sources <= 1 else { throw ValidationError("give the PIN for the guards in one way") }
    if usesPIN, guardLogin { throw ValidationError("--guard-pin and --guard-login: give one") }
    if pasteLogin, !guardLogin { throw ValidationError("--paste-login goes with --guard-login") }
    for text in guardServer where Self.server(text) == nil {
      throw ValidationError(
        "--guard-server takes a guard's ID of 32 digits, =, and its address: https://...")
    }
    if guardCa.contains("") { throw ValidationError("--guard-ca names a file") }
  }

  /// Whether the backup is to be opened with a PIN and guards.
  var usesPIN: Bool { guardPin || guardPinFile != nil || guardPinFd != nil }

  /// Whether the backup is to be opened with guards.
  var isUsed: Bool { usesPIN || guardLogin }

  /// The addresses that are named for guards.
  var servers: [GuardID: ServiceURL] {
    Dictionary(guardServer.compactMap(Self.server)) { $1 }
  }

  /// Reads `ID=URL`.
  private static func server(_ text: String) -> (GuardID, ServiceURL)? {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let id = GuardID(hex: parts[0].lowercased()),
      let url = ServiceURL(parts[1])
    else { return nil }
    return (id, url)
  }

  /// The files with further authorities: of the options, or of the variable.
  ///
  /// - Throws: `no-input` for a file that is not there.
  func certificates(_ world: World) throws(UserMessage) -> [String] {
    let isGiven = !guardCa.isEmpty
    let files = isGiven ? guardCa : [world.variable("KEYBACKUP_GUARD_CA")].compactMap { $0 }
    for file in files where !FileCheck.exists(file) {
      throw UserMessage(
        .noInput, "the file of authorities \(ShellWord.quoted(file)) is not there",
        hint: "check \(isGiven ? "--guard-ca" : "KEYBACKUP_GUARD_CA")")
    }
    return files
  }
}

internal import ArgumentParser
internal import CSPP

/// Where guards are, and whom to trust about that.
struct GuardAddressOptions: ParsableArguments {
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

  mutating func validate() throws {
    for text in guardServer where Self.server(text) == nil {
      throw ValidationError(
        "--guard-server takes a guard's ID of 32 digits, =, and its address: https://...")
    }
    if guardCa.contains("") { throw ValidationError("--guard-ca names a file") }
  }

  /// The addresses that are named for guards.
  var servers: [GuardID: ServiceURL] {
    Dictionary(guardServer.compactMap(Self.server)) { $1 }
  }

  /// Reads `ID=URL`.
  private static func server(_ text: String) -> (GuardID, ServiceURL)? {
    guard let named = NamedGuard(text), let id = named.guardID else { return nil }
    return (id, named.url)
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

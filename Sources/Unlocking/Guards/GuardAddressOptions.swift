internal import ArgumentParser
internal import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport

/// Where guards are, and whom to trust about that.
package struct GuardAddressOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ask a guard at this address. All guards of a way in named so need no confirmation.",
      valueName: "id=url"))
  var guardServer: [String] = []

  @Option(
    help: ArgumentHelp(
      "Also trust the authorities in this PEM file; repeatable (default: $KEYBACKUP_GUARD_CA).",
      valueName: "file"))
  var guardCa: [String] = []

  package init() {}

  package mutating func validate() throws {
    for text in guardServer where Self.server(text) == nil {
      throw ValidationError(
        "--guard-server takes a guard's ID of 32 digits, =, and its address: https://...")
    }
    if guardCa.contains("") { throw ValidationError("--guard-ca names a file") }
  }

  /// Those that were given.
  package var given: GivenOptions {
    GivenOptions(["--guard-server": !guardServer.isEmpty, "--guard-ca": !guardCa.isEmpty])
  }

  /// The addresses that are named for guards.
  package var servers: [GuardID: ServiceURL] {
    Dictionary(guardServer.compactMap(Self.server)) { $1 }
  }

  /// Refuses an address for a guard that no way in has.
  ///
  /// - Throws: `usage`.
  func requireGuards(of slots: [KeySlot]) throws(UserMessage) {
    let ways = slots.compactMap { GuardWay($0, moved: [:]) }
    let known = Set(ways.flatMap(\.servers).map(\.guardID))
    for id in servers.keys.sorted(by: { $0.hex < $1.hex }) where !known.contains(id) {
      throw UserMessage(
        .usage, "no way in of this backup has the guard \(id.hex), which --guard-server names",
        hint: "compare it with your notes and with: keybackup guard status")
    }
  }

  /// Reads `ID=URL`.
  private static func server(_ text: String) -> (GuardID, ServiceURL)? {
    guard let named = NamedGuard(text), let id = named.guardID else { return nil }
    return (id, named.url)
  }

  /// The files with further authorities: of the options, or of the variable.
  ///
  /// - Throws: `no-input` for a file that is not there, `data-invalid` for one that is no PEM.
  func certificates(_ world: World) throws(UserMessage) -> [String] {
    let isGiven = !guardCa.isEmpty
    let files = isGiven ? guardCa : [world.variable("KEYBACKUP_GUARD_CA")].compactMap { $0 }
    let option = isGiven ? "--guard-ca" : "KEYBACKUP_GUARD_CA"
    for file in files {
      guard FileCheck.exists(file) else {
        throw UserMessage(
          .noInput, "the file of authorities \(ShellWord.quoted(file)) is not there",
          hint: "check \(option)")
      }
      // Before a key is touched or anything typed.
      let bytes = try InputFile.readFile(file, limit: 1 << 20)
      guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
        throw UserMessage(
          .dataInvalid, "\(ShellWord.quoted(file)) holds no certificate in PEM",
          hint: "check \(option)")
      }
    }
    return files
  }
}

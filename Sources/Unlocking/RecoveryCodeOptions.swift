package import ArgumentParser
package import CSPP
package import CommandKit
internal import CommandSupport
internal import SecretMemory

/// The options for opening a backup with a recovery code instead of a security key.
package struct RecoveryCodeOptions: ParsableArguments {
  @Flag(help: "Ask for a recovery code and open the backup with it.")
  package var recoveryCode = false

  @Option(
    help: ArgumentHelp(
      "Read the code from this file, which only you may read, or from -.",
      valueName: "path"))
  var recoveryCodeFile: String?

  @Option(help: ArgumentHelp("Read the code from this open descriptor.", valueName: "n"))
  var recoveryCodeFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Open the backup with this file of an offline recovery kit.", valueName: "file"))
  package var recoveryKit: String?

  @Option(
    help: ArgumentHelp(
      "The kit that the code belongs to, by its ID or the start of it.",
      valueName: "id"))
  var kitId: String?

  @Option(
    help: ArgumentHelp("The file that is a recovery kit's second secret.", valueName: "path"))
  package var secretFile: String?

  package init() {}

  package mutating func validate() throws {
    try DescriptorCheck.check(recoveryCodeFd, "--recovery-code-fd")
    let sources = [recoveryCodeFile != nil, recoveryCodeFd != nil, recoveryCode].count { $0 }
    guard sources <= 1 else { throw ValidationError("give the recovery code in one way") }
    if let kitId, kitId.utf8.count < 6 || !kitId.utf8.allSatisfy({ Hex.isDigit($0) }) {
      throw ValidationError("a kit's ID has hex digits, at least the first 6 of them")
    }
    if recoveryKit == "" || recoveryKit == "-" {
      throw ValidationError("--recovery-kit names a file")
    }
    if recoveryCodeFile == "-", secretFile == "-" {
      throw ValidationError("only one input can come from standard input")
    }
  }

  /// These options for another command, each after a space; none where no code is used.
  package var again: String {
    guard isUsed else { return "" }
    let files = [
      ("--recovery-kit", recoveryKit), ("--recovery-code-file", recoveryCodeFile),
      ("--kit-id", kitId), ("--secret-file", secretFile),
    ]
    let named = files.compactMap { option, value in
      value.flatMap { $0 == "-" ? nil : " \(option) \(ShellWord.quoted($0))" }
    }
    let isAsked = recoveryKit == nil && (recoveryCodeFile ?? "-") == "-"
    return (isAsked ? " --recovery-code" : "") + named.joined()
  }

  /// Those that were given.
  package var given: GivenOptions {
    GivenOptions([
      "--recovery-code": recoveryCode, "--recovery-code-file": recoveryCodeFile != nil,
      "--recovery-code-fd": recoveryCodeFd != nil, "--recovery-kit": recoveryKit != nil,
    ]) + details
  }

  /// Those that say more about the code, and ask for none.
  package var details: GivenOptions {
    GivenOptions(["--kit-id": kitId != nil, "--secret-file": secretFile != nil])
  }

  /// Whether the backup is to be opened with a code.
  package var isUsed: Bool {
    recoveryCode || recoveryCodeFile != nil || recoveryCodeFd != nil || recoveryKit != nil
  }

  /// The offline kit in `--recovery-kit`, which is read once: it may come from a pipe.
  ///
  /// - Throws: `no-input`, `data-invalid`.
  package func offlineKit(_ world: World) throws(UserMessage) -> KeyWrapper? {
    guard let recoveryKit else { return nil }
    if let known = world.run.with(KnownKit(), { $0.kit }) { return known }
    let kit = try OfflineKit.read(recoveryKit, world.streams)
    world.run.with(KnownKit()) { $0.kit = kit }
    return kit
  }

}

/// The offline kit of a run.
private struct KnownKit {
  var kit: KeyWrapper?
}

internal import ArgumentParser
internal import ForeignBackups
internal import SecretMemory

/// `keybackup foreign celo write`: a new file that Celo's own program can open.
struct CeloWriteCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Write a Celo file that scrypt hardens.",
    discussion: """
      No service limits the guesses at its password, so take a long one. The file is opened again \
      before it is put in its place.
      The standard costs are those that Celo's own program can compute on Node.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var password: PasswordOptions

  @Argument(
    help: ArgumentHelp("What is backed up: a file, or - (default).", valueName: "file"))
  var data = "-"

  @Option(
    help: ArgumentHelp(
      "The new JSON file, or - for standard output.", valueName: "file"))
  var out: String

  @Option(help: ArgumentHelp("scrypt's N, a power of two.", valueName: "n"))
  var cost = 16384

  @Option(help: ArgumentHelp("scrypt's r.", valueName: "r"))
  var blockSize = 8

  @Option(help: ArgumentHelp("scrypt's p.", valueName: "p"))
  var parallelization = 5

  private var hardening: CeloHardening {
    .scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
  }

  mutating func validate() throws {
    if out.isEmpty { throw ValidationError("--out names a file") }
    if out == "-", common.json { throw ValidationError("--json goes with a file of its own") }
    if data == "-", password.input == "-" {
      throw ValidationError("only one input can come from standard input")
    }
    do throws(ForeignBackupError) {
      try hardening.check()
    } catch {
      throw ValidationError("scrypt's costs cannot be used: \(error)")
    }
    // The check leaves products that are small.
    guard cost * blockSize * parallelization >= CeloHardening.leastWork else {
      throw ValidationError(
        "scrypt's costs are too low: --cost times --block-size times --parallelization is at "
          + "least \(CeloHardening.leastWork)")
    }
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let output = common.output(world)
    if out != "-" { try OutputFile.requireFree(out) }
    let prompter = common.prompter(world)
    let secret = try InputFile.readSecret(
      data, limit: CeloBackup.dataLimit, asking: "secret to back up", prompter)
    let password = try password.celoPassword(prompter, twice: true)
    guard password.count > 0 else {
      throw UserMessage(
        .dataInvalid, "the password is empty", hint: "anybody who has the file could open it")
    }
    if password.count < Self.shortPassword {
      output.note(
        "keybackup: the password is short. Anyone who has the file can try passwords without limit."
      )
    }
    let backup: CeloBackup
    do throws(ForeignBackupError) {
      backup = try CeloBackup.sealing(secret, password: password, hardening: hardening)
    } catch {
      throw UserMessage(error)
    }
    if !hardening.opensOnNode {
      output.note(
        "Celo's own program cannot open this on Node: it allows scrypt no more than 32 MiB.")
    }
    try write(backup, output)
    return .success
  }

  /// Fewer bytes than this are guessed, whatever scrypt costs.
  private static let shortPassword = 12

  private func write(_ backup: CeloBackup, _ output: Output) throws(UserMessage) {
    let text = Array((backup.json + "\n").utf8)
    let file = unsafe SecretBytes(copying: text.span.bytes)
    guard out != "-" else { return try output.result(secret: file) }
    try OutputFile.write(file, to: out)
    try output.result(
      "Wrote \(ShellWord.quoted(out)): \(PrintableSize.text(UInt64(text.count))), opened again with "
        + "the password.",
      json: [
        "file": .string(out), "size": .number(text.count), "data_size": .number(backup.dataSize),
        "computational": hardening.json,
      ], ofChange: "\(ShellWord.quoted(out)) was written all the same")
  }
}

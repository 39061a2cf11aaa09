package import ArgumentParser
package import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import SecretMemory
internal import SyncFolders

/// `keybackup foreign celo write`: a new file that Celo's own program can open.
package struct CeloWriteCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
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
  package var cost = 16384

  @Option(help: ArgumentHelp("scrypt's r.", valueName: "r"))
  var blockSize = 8

  @Option(help: ArgumentHelp("scrypt's p.", valueName: "p"))
  var parallelization = 5

  @OptionGroup var place: SyncedFolderOption

  package init() {}

  private var hardening: CeloHardening {
    .scrypt(cost: cost, blockSize: blockSize, parallelization: parallelization)
  }

  package mutating func validate() throws {
    if out.isEmpty { throw ValidationError("--out names a file") }
    if out == "-", common.json { throw ValidationError("--json goes with a file of its own") }
    if data == "-", password.input == "-" {
      throw ValidationError("only one input can come from standard input")
    }
    try checkCosts()
  }

  private func checkCosts() throws {
    guard blockSize > 0, parallelization > 0 else {
      throw ValidationError("--block-size and --parallelization are numbers from 1 on")
    }
    guard cost > 1, cost & (cost - 1) == 0 else {
      throw ValidationError("--cost is a power of two from 2 on")
    }
    do throws(ForeignBackupError) {
      try hardening.check()
    } catch .tooLarge {
      throw ValidationError(
        "scrypt's costs are too high: --cost times --block-size times --parallelization is at most "
          + "\(CeloHardening.workLimit), and scrypt's memory "
          + PrintableSize.text(UInt64(CeloHardening.memoryLimit)))
    } catch {
      throw ValidationError("scrypt does not take these: a larger --block-size or a lower --cost")
    }
    // The check leaves products that are small.
    guard cost * blockSize * parallelization >= CeloHardening.leastWork else {
      throw ValidationError(
        "scrypt's costs are too low: --cost times --block-size times --parallelization is at "
          + "least \(CeloHardening.leastWork)")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let output = common.output(world)
    if out != "-" { try OutputFile.requirePlace(out) }
    try place.requirePrivate(input: data, password.passwordFile, besides: nil, world)
    try password.requireUsable()
    let prompter = common.prompter(world)
    let secret = try InputFile.readSecret(
      data, limit: CeloBackup.dataLimit, asking: "secret to back up", prompter)
    // The program that should have written into the pipe failed.
    guard secret.count > 0 else {
      throw UserMessage(
        .noInput,
        "\(data == "-" ? "the input" : ShellWord.quoted(data)) is empty, so nothing was backed up",
        hint: data == "-" ? "check the program that writes to it" : "check the path")
    }
    if secret.endsLine {
      output.note(
        "keybackup: the secret ends with a line end, which is backed up with it. To leave it out: "
          + "printf '%s' in the place of echo")
    }
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
    try OutputFile.write(file, to: out, output.run)
    try output.result(
      "Wrote \(ShellWord.quoted(out)): \(PrintableSize.text(UInt64(text.count))), opened again with "
        + "the password.",
      json: [
        "file": .string(out), "size": .number(text.count), "data_size": .number(backup.dataSize),
        "computational": hardening.json,
      ], ofChange: "\(ShellWord.quoted(out)) was written all the same")
  }
}

extension SecretBytes {
  /// Whether the last byte is a line feed.
  fileprivate var endsLine: Bool {
    let last = count - 1
    return withBytes {
      unsafe last >= 0 && $0.unsafeLoad(fromByteOffset: last, as: UInt8.self) == 10
    }
  }
}

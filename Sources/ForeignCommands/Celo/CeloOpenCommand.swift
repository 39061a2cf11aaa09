package import ArgumentParser
package import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import SecretMemory
internal import SyncFolders
internal import Unlocking

/// `keybackup foreign celo open`: what a file holds.
package struct CeloOpenCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open a Celo file.",
    discussion: """
      A file that ODIS hardened needs the output of ODIS, and Celo's service is gone.
      --odis-program gets one line of JSON with domain_hash and message, in hex, and prints the \
      output.
      A file that nothing hardens may have been planted, with a wallet of somebody else. \
      --unhardened opens it all the same.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var input: CeloFileArgument
  @OptionGroup var password: PasswordOptions
  @OptionGroup var fuseKey: CeloFuseKeyOptions
  @OptionGroup var odis: CeloODISOptions

  @Flag(help: "Open a file that only its password protects.")
  var unhardened = false

  @Option(
    help: ArgumentHelp(
      "Write to this new file, or - for standard output.", valueName: "file"))
  var out: String?

  @Flag(help: "Print what it holds even on a terminal.")
  var reveal = false

  @OptionGroup var addition: CeloAddOptions
  @OptionGroup var place: SyncedFolderOption

  private var common: CommonOptions { unlock.common }

  package init() {}

  package mutating func validate() throws {
    if out == "" { throw ValidationError("--out names a file") }
    if !addition.add { try (unlock.given + unlock.sync.given).refuse(without: "--add") }
    if addition.add, out != nil || reveal {
      throw ValidationError("--add puts it into the backup; --out and --reveal do not go with it")
    }
    let inputs = [input.file, password.input, odis.input] + fuseKey.inputs
    guard inputs.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("only one input can come from standard input")
    }
    try unlock.requireOtherInput(than: inputs.first { $0 == "-" } ?? nil)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let output = common.output(world)
    try place.requirePrivate(
      input: password.passwordFile, fuseKey.fuseKeyFile, fuseKey.breakerKey, odis.odisOutputFile,
      besides: unlock.folder.folder, world)
    guard !addition.add else {
      let opened = try open(world)
      let name = addition.name ?? CeloAddOptions.name(of: input.file)
      return try await addition.write(opened.data, name, opened.mark, unlock, world)
    }
    if path == nil, !reveal { try output.requireNoTerminal("what it holds") }
    try OutputFile.requirePlace(path)
    try place.requirePrivate(
      path, printed: path == nil ? output.resultFile : nil, besides: unlock.folder.folder, world)
    let opened = try open(world)
    try write(opened.data.copy(), output)
    return .success
  }

  /// The contents of a file that opened.
  private struct Opened: ~Copyable {
    let data: SecretBytes
    /// The file's ``CeloBackup/mark``.
    let mark: String
  }

  /// The file to write, or nil for standard output.
  private var path: String? { out == "-" ? nil : out }

  private func open(_ world: World) throws(UserMessage) -> Opened {
    let backup = try input.read(world)
    let prompter = common.prompter(world)
    // Refused before a secret is asked for.
    guard backup.isHardened || unhardened else { throw UserMessage(.unhardened, in: input.file) }
    try password.requireUsable()
    try fuseKey.requireUsable()
    try odis.check(backup, prompter)
    let fuseKey = try fuseKey.read(backup, prompter)
    let password = try password.celoPassword(prompter, twice: false)
    do {
      let opening = try CeloOpening(
        backup, password: password, fuseKey: fuseKey, allowsUnhardened: unhardened)
      let answer = try odis.read(backup, opening, prompter)
      return Opened(data: try opening.open(odisOutput: answer), mark: backup.mark)
    } catch let error as ForeignBackupError {
      throw message(error, backup)
    } catch let error as UserMessage {
      throw error
    } catch {
      throw UserMessage(.internalError, "a fault in keybackup: unexpected error")
    }
  }

  /// The message where a file does not open, with a field whose name may have been changed.
  private func message(_ error: ForeignBackupError, _ backup: CeloBackup) -> UserMessage {
    let message = UserMessage(error, in: input.file == "-" ? nil : input.file)
    guard case .wrongSecret = error, let field = backup.unknownFields.first else { return message }
    return message.adding(
      hint: "the file has a field that the format does not know: "
        + "\(PrintableText.name(field, limit: 40)). Its name may have been changed")
  }

  private func write(_ data: consuming SecretBytes, _ output: Output) throws(UserMessage) {
    let size = data.count
    if let path {
      try OutputFile.write(data, to: path, output.run)
      let words = "\(ShellWord.quoted(path)) was written all the same"
      if common.json {
        try output.result(
          json: ["file": .string(path), "size": .number(size)], ofChange: words)
      } else {
        output.note("Wrote \(ShellWord.quoted(path)): \(PrintableSize.text(UInt64(size))).")
      }
      return
    }
    guard !common.json else {
      var text = SecretText()
      text.append("{\"data\":\"")
      text.append(hex: data)
      text.append("\",\"schema\":1,\"size\":\(size)}\n")
      return try output.result(secret: text.finish())
    }
    guard output.resultIsTerminal else { return try output.result(secret: data) }
    var text = SecretText()
    text.append(text: data)
    text.append("\n")
    try output.result(entry: text.finish())
  }
}

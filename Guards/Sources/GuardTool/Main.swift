internal import ArgumentParser
internal import CommandSupport
internal import Glibc
internal import HelpPages
internal import SecretMemory

/// The command `keybackup-guard`: hardens the process, runs one command, and turns what it threw into
/// text and an exit code.
@main
struct GuardTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keybackup-guard",
    abstract: "Run a guard: a small server that helps to open keybackup's backups.",
    discussion: """
      A guard holds a secret for an account. It lets it be used seldom, so that a PIN cannot be \
      guessed, or only by someone who logs in. It never learns the PIN, nor what is backed up.
      """,
    version: "keybackup-guard \(Version.current)",
    subcommands: [
      ServeCommand.self, GuardInviteCommand.self, GuardExportCommand.self,
      GuardImportCommand.self, GuardClockCommand.self, AskCommand.self,
    ])

  static func main() async {
    // No core dump, no debugger, private files: before anything is read.
    let missing = ProcessHardening.apply()
    signal(SIGPIPE, SIG_IGN)
    for line in missing { GuardStreams.note("warning: \(line)") }
    do {
      if let name = ProcessVariables.ofProcess().refused {
        throw GuardToolError(
          .usage, "the variable \(name) is not UTF-8; nothing was done",
          hint: "rename what it names, or set the variable to another path")
      }
      var command = try parsed(Array(CommandLine.arguments.dropFirst()))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as GuardToolError {
      GuardStreams.report(error)
      _exit(error.code.rawValue)
    } catch {
      // The parser's own: help and version too.
      let isClean = exitCode(for: error) == .success
      if isClean {
        GuardStreams.result(fullMessage(for: error))
        _exit(GuardExit.success.rawValue)
      }
      GuardStreams.report(
        GuardToolError(
          .usage, message(for: error), hint: "keybackup-guard --help shows what there is"))
      _exit(GuardExit.usage.rawValue)
    }
    _exit(GuardExit.success.rawValue)
  }

  /// Reads the command line; where that fails, with values that begin with a hyphen joined to their
  /// options.
  ///
  /// - Parameter words: the arguments, without the program's name.
  /// - Returns: the command.
  /// - Throws: the parser's error.
  static func parsed(_ words: [String]) throws -> any ParsableCommand {
    do {
      return try parseAsRoot(words)
    } catch {
      guard
        let command = configuration.subcommands.first(where: {
          $0.configuration.commandName == words.first
        }), let definition = DefinedCommand.reading(dump: command._dumpHelp())
      else { throw error }
      return try parseAsRoot(
        [words[0]] + definition.joiningDashedValues(Array(words.dropFirst())))
    }
  }
}

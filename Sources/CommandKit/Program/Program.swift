// This folder is for the process: what `keybackup` and the programs that it starts in its place have
// in common. It uses every other room of this module and knows no command.

package import ArgumentParser
internal import CommandSupport
internal import Glibc
internal import PRFDevice
internal import SecretMemory

/// The process: hardens itself, turns signals into cancellation, runs one
/// command, and turns whatever it threw into text and an exit code.
package struct Program: Sendable {
  /// All commands of this program.
  private let root: any ParsableCommand.Type
  /// The options that most commands share.
  private let shared: any ParsableArguments.Type
  /// The line above the help of a command line without a word; nil for none.
  private let frontPage: @Sendable (World) -> String?

  /// Runs the command that the process's arguments name.
  ///
  /// It returns only where the command runs on, in a task that ends the process.
  ///
  /// Not `async`: Swift would then park this thread in a call that lets every signal through. This
  /// thread waits for the signals instead.
  ///
  /// - Parameters:
  ///   - root: all commands of the program.
  ///   - shared: the options that most commands share.
  ///   - group: the words of `keybackup` that stand before the arguments.
  ///   - others: the groups that other programs run.
  ///   - frontPage: the line above the help of a command line without a word.
  package static func main(
    _ root: any ParsableCommand.Type, sharing shared: any ParsableArguments.Type,
    group: [String] = [], others: [any OtherProgramGroup.Type] = [],
    frontPage: @escaping @Sendable (World) -> String? = { _ in nil }
  ) {
    let arguments = group + CommandLine.arguments.dropFirst()
    // Where another program runs, nothing below does.
    let isText = ArgumentBytes.refusal == nil
    let absent = isText ? OtherProgram(others, arguments).map { $0.run() } : nil
    let refusal = absent.map { TypedPIN.isGiven(arguments) ? TypedPIN.message : $0 }
    Program(root: root, shared: shared, frontPage: frontPage).run(arguments, refusal: refusal)
  }

  private func run(_ arguments: [String], refusal: UserMessage?) {
    StandardStreams.fill()
    let unhardened = ProcessHardening.apply()
    Interruption.prepare()
    let variables = ProcessVariables.ofProcess()
    let world = World.process(variables, arguments)
    let output = Output(
      json: arguments.contains("--json"), quiet: arguments.contains("--quiet"), world)
    if !unhardened.isEmpty, arguments.contains(where: { $0 == "-v" || $0 == "--verbose" }) {
      for line in unhardened { output.note("keybackup: \(line)") }
    }
    let events = Events(arguments: arguments, world.run)
    if let refusal = ArgumentBytes.refusal ?? variables.refusal ?? world.run.typed.refusal
      ?? refusal
    {
      Self.report(refusal, output)
      events.send(.done(refusal.code, refusal))
      _exit(refusal.code.rawValue)
    }
    guard let command = parse(arguments, world, output, events) else { return }
    // Where no thread can be started, it only rests less well.
    let thread = command is any LastingCommand ? try? TaskThread() : nil
    // Detached: this thread, which is the main actor's, is about to wait.
    let work = Task.detached(executorPreference: thread) {
      let code = await Self.run(command, world, output, events)
      Terminal.restoreAll()
      // Not exit: it would take OpenSSL apart under a thread that is still
      // stuck in a key. Everything was written without buffers.
      _exit(code.rawValue)
    }
    Interruption.watch { work.cancel() }
  }

  /// Reads the command line; help, version and mistakes end the process here,
  /// before any thread is started for them.
  private func parse(
    _ arguments: [String], _ world: World, _ output: Output, _ events: Events
  ) -> (any KeyBackupCommand)? {
    if let command = root.parseLeaf(arguments) { return command }
    // The parser would build the list of all options first.
    if arguments == ["--version"] {
      _exit(Self.answer(root.configuration.version, output).rawValue)
    }
    // Not exit, here and below: a thread may be stuck in a folder that does not answer.
    if let request = HelpRequest(arguments, root) {
      _exit(help(request, arguments, world, output, events).rawValue)
    }
    let arguments = root.joiningDashedValues(arguments)
    if let command = root.parseLeaf(arguments) { return command }
    do {
      let parsed = try root.parseAsRoot(arguments)
      if let command = parsed as? any KeyBackupCommand { return command }
      let path = CommandPath(root, arguments)
      // Options, and no command.
      if type(of: parsed) == path.type {
        _exit(help(.command(path), arguments, world, output, events).rawValue)
      }
      // The parser takes an h among other letters for a wish for help.
      let mistake = UsageMistake.message(arguments, root, parser: "Unknown option")
      _exit(Self.refuse(mistake, arguments, output, events).rawValue)
    } catch {
      let isClean = root.exitCode(for: error) == .success
      let text = isClean ? root.fullMessage(for: error) : root.message(for: error)
      if isClean, isAskedFor(text, arguments) { _exit(Self.answer(text, output).rawValue) }
      let path = CommandPath(root, arguments)
      // The parser takes an h among other letters for a wish for help.
      let mistake =
        text == root.configuration.version
        ? UsageMistake.versionAfterCommand(path)
        : UsageMistake.message(
          arguments, root, parser: isClean ? "Unknown option" : text)
      _exit(Self.refuse(mistake, arguments, output, events).rawValue)
    }
  }

  /// Whether the parser's text is the version, or what scripts ask for.
  ///
  /// Some commands have a --version of their own. After another command it is a mistake: somebody
  /// who names a wallet's version there would take the program's version for success.
  private func isAskedFor(_ text: String, _ arguments: [String]) -> Bool {
    let isVersion = text == root.configuration.version
    return isVersion && CommandPath(root, arguments).names.isEmpty
      || arguments.first == "---completion"
      || arguments.contains {
        $0 == "--experimental-dump-help" || $0.hasPrefix("--generate-completion-script")
      }
  }

  /// Runs a command to its end, and reports an error.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - world: what surrounds it.
  ///   - output: where an error goes.
  ///   - events: where the end is told.
  /// - Returns: the exit code.
  package static func run(
    _ command: any KeyBackupCommand, _ world: World, _ output: Output, _ events: Events
  ) async -> ExitReason {
    world.run.noteFolder()
    if let problem = ClockCheck.problem(world.now()) { output.warn(problem) }
    do {
      let ended = try await command.run(in: world)
      let code = world.run.others.ending(ended)
      for message in world.run.takeClosingWords() { output.warn(message) }
      if code == .success, Interruption.received {
        output.warn("keybackup: the interruption came too late: it is done")
      }
      events.send(.done(code, nil))
      return code
    } catch {
      for message in world.run.takeClosingWords() { output.warn(message) }
      let ending = safe(Interruption.received ? error.afterInterruption : error, world.run)
      if ending == .readerGone {
        events.send(.done(ending.code, ending))
        Terminal.restoreAll()
        Interruption.endBySignal()
        report(ending, output)
        return ending.code
      }
      report(ending, output)
      events.send(.done(ending.code, ending))
      return ending.code
    }
  }

  /// Shows a page of help, or says that what it asks for is no command.
  private func help(
    _ request: HelpRequest, _ arguments: [String], _ world: World, _ output: Output,
    _ events: Events
  ) -> ExitReason {
    if case .command(let path) = request, let word = path.unknownCommand {
      return Self.refuse(UsageMistake.unknownCommand(word, path), arguments, output, events)
    }
    do throws(UserMessage) {
      if arguments.isEmpty, let verdict = frontPage(world) {
        try output.result(verdict + "\n")
      }
      // Nothing in it comes from elsewhere; headings may be bold.
      let screen = output.screen
      try output.write(
        text: request.page(
          sharing: shared, width: HelpRequest.width(on: screen), isBold: screen.showsBold))
      return .success
    } catch {
      return Self.notWritten(error, output)
    }
  }

  /// Ends where help or the version could not be written.
  private static func notWritten(_ error: UserMessage, _ output: Output) -> ExitReason {
    if error == .readerGone { Interruption.endBySignal() }
    report(error, output)
    return error.code
  }

  /// Says what is wrong with the command line.
  private static func refuse(
    _ mistake: UserMessage, _ arguments: [String], _ output: Output, _ events: Events
  ) -> ExitReason {
    let message = TypedPIN.isGiven(arguments) ? TypedPIN.message : safe(mistake, output.run)
    report(message, output)
    events.send(.done(.usage, message))
    return .usage
  }

  /// Prints what was asked for instead of a command.
  private static func answer(_ text: String, _ output: Output) -> ExitReason {
    do {
      try output.result(text)
      return .success
    } catch {
      return notWritten(error, output)
    }
  }

  /// The message with commands that can be run as they stand, and without the secrets that were typed
  /// on the command line.
  private static func safe(_ message: UserMessage, _ run: Run) -> UserMessage {
    run.typed.hiding(SuggestedCommands.completed(message, run))
  }

  private static func report(_ message: UserMessage, _ output: Output) {
    if output.json {
      try? output.result(json: [
        "error": [
          "code": .string(message.word), "message": .string(message.message),
          "hint": .optional(message.hint),
        ]
      ])
    } else {
      output.warn(message)
    }
  }
}

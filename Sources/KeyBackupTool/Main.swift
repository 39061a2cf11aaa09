internal import ArgumentParser
internal import Glibc
internal import SecretMemory

/// The process: hardens itself, turns signals into cancellation, runs one
/// command, and turns whatever it threw into text and an exit code.
@main
enum Main {
  // Not `async`: Swift would then park this thread in a call that lets every
  // signal through. This thread waits for the signals instead.
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    CallersDescriptors.note(arguments)
    StandardStreams.fill()
    let unhardened = ProcessHardening.apply()
    Interruption.prepare()
    let output = Output(
      json: arguments.contains("--json"), quiet: arguments.contains("--quiet"))
    if !unhardened.isEmpty, arguments.contains(where: { $0 == "-v" || $0 == "--verbose" }) {
      for line in unhardened { output.note("keybackup: \(line)") }
    }
    let events = Events(arguments: arguments)
    if let refusal = TypedSecrets.ofProcess.refusal {
      report(refusal, output)
      events.send(.done(refusal.code, refusal))
      _exit(refusal.code.rawValue)
    }
    guard let command = parse(arguments, output, events) else { return }
    // Detached: this thread, which is the main actor's, is about to wait.
    let work = Task.detached {
      let code = await run(command, output, events)
      Terminal.restoreAll()
      // Not exit: it would take OpenSSL apart under a thread that is still
      // stuck in a key. Everything was written without buffers.
      _exit(code.rawValue)
    }
    Interruption.watch { work.cancel() }
  }

  /// Reads the command line; help, version and mistakes end the process here,
  /// before any thread is started for them.
  private static func parse(
    _ arguments: [String], _ output: Output, _ events: Events
  ) -> (any KeyBackupCommand)? {
    if let command = KeyBackup.parseLeaf(arguments) { return command }
    // The parser would build the list of all options first.
    if arguments == ["--version"] {
      _exit(answer(KeyBackup.configuration.version, output).rawValue)
    }
    do {
      var parsed = try KeyBackup.parseAsRoot(arguments)
      if let command = parsed as? any KeyBackupCommand { return command }
      // A noun without a verb: ArgumentParser's own help.
      try parsed.run()
      return nil
    } catch {
      // Not exit: a thread may be stuck in a folder that does not answer.
      _exit(reportParsing(error, output, events).rawValue)
    }
  }

  private static func run(
    _ command: any KeyBackupCommand, _ output: Output, _ events: Events
  ) async -> ExitCode {
    do {
      let ended = try await command.run(in: World.process())
      let code = OtherBackups.found.ending(ended)
      events.send(.done(code, nil))
      return code
    } catch {
      let ending = safe(Interruption.received ? error.afterInterruption : error)
      report(ending, output)
      events.send(.done(ending.code, ending))
      return ending.code
    }
  }

  /// What is wrong with the command line apart from `--json`: a mistake in the
  /// command's name would else be reported as one of that option.
  private static func withoutJSON(_ error: any Error, _ output: Output) -> any Error {
    guard output.json else { return error }
    do {
      _ = try KeyBackup.parseAsRoot(
        CommandLine.arguments.dropFirst().filter { $0 != "--json" })
      return error
    } catch let other {
      return KeyBackup.exitCode(for: other) == .success ? error : other
    }
  }

  /// Help and version are answers; anything else the parser throws is a usage
  /// error.
  private static func reportParsing(
    _ error: any Error, _ output: Output, _ events: Events
  ) -> ExitCode {
    let error = withoutJSON(error, output)
    var text = KeyBackup.fullMessage(for: error)
    guard KeyBackup.exitCode(for: error) != .success else {
      if CommandLine.arguments.count == 1, let verdict = FrontPage.verdict(.process()) {
        text = verdict + "\n\n" + text
      }
      return answer(text, output)
    }
    let plain = UserMessage(
      .usage, KeyBackup.message(for: error), hint: "run: keybackup --help")
    let message = safe(plain)
    if output.json || message != plain {
      report(message, output)
    } else {
      // As every other error begins.
      output.warn(text.hasPrefix("Error: ") ? "keybackup: " + text.dropFirst(7) : text)
    }
    events.send(.done(.usage, message))
    return .usage
  }

  /// Prints what was asked for instead of a command.
  private static func answer(_ text: String, _ output: Output) -> ExitCode {
    do {
      try output.result(text)
      return .success
    } catch {
      return .io
    }
  }

  /// The message without the secrets that were typed on the command line, and with commands that
  /// can be run as they stand.
  private static func safe(_ message: UserMessage) -> UserMessage {
    SuggestedCommands.completed(TypedSecrets.ofProcess.hiding(message))
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

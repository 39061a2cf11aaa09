internal import FoundationEssentials
internal import Glibc
package import SecretMemory

/// Where a command's words go: results to standard output and nothing else
/// there, notes to standard error.
package struct Output: Sendable {
  /// Results as one JSON object instead of text.
  package var json: Bool
  /// No notes.
  package var quiet: Bool
  /// Descriptor of the result stream.
  var standardOutput: Int32 { streams.output }
  /// Descriptor of the note stream.
  var standardError: Int32 { streams.error }
  /// The streams to write to.
  package let streams: Streams
  /// The variables, some of which tell what a stream can show.
  package let environment: [String: String]
  /// The run that it speaks for.
  package let run: Run

  package init(json: Bool, quiet: Bool, _ world: World) {
    self.json = json
    self.quiet = quiet
    streams = world.streams
    environment = world.environment
    run = world.run
  }

  /// The abilities of the result stream.
  package var screen: Screen { Screen(standardOutput, streams, environment) }
  /// The abilities of the note stream.
  var noteScreen: Screen { Screen(standardError, streams, environment) }

  /// Writes one line of result, without what could steer a terminal, in as many lines as the
  /// terminal needs.
  ///
  /// - Parameters:
  ///   - line: the text.
  ///   - hanging: columns before the further lines; nil: as the line begins.
  /// - Throws: `io`.
  package func result(_ line: String, hanging: Int? = nil) throws(UserMessage) {
    let lines = screen.lines(shown(line), hanging: hanging)
    try write(Array((lines.joined(separator: "\n") + "\n").utf8), to: standardOutput)
  }

  /// Writes a result as it is laid out already, such as a command that is too long for a line.
  package func result(laidOut line: String) throws(UserMessage) {
    try write(Array((PrintableText.cleanLines(line) + "\n").utf8), to: standardOutput)
  }

  /// Writes a line of result that says the most important, in bold print where that shows.
  package func result(title line: String) throws(UserMessage) {
    let screen = screen
    let lines = screen.lines(shown(line)).map(screen.bold)
    try write(Array((lines.joined(separator: "\n") + "\n").utf8), to: standardOutput)
  }

  /// Writes a table, as wide as the terminal allows.
  package func result(_ table: Table) throws(UserMessage) {
    let screen = screen
    for line in Self.lines(of: table, screen) {
      try write(Array((line + "\n").utf8), to: standardOutput)
    }
  }

  /// Writes a table among the notes, unless `--quiet`.
  package func note(_ table: Table) {
    if quiet { return }
    for line in Self.lines(of: table, noteScreen) {
      try? write(Array((line + "\n").utf8), to: standardError)
    }
  }

  private static func lines(of table: Table, _ screen: Screen) -> [String] {
    let headings = table.headingCount(width: screen.width)
    return table.lines(width: screen.width).enumerated().map { place, line in
      let line = PrintableText.cleanLines(line)
      return place < headings ? screen.bold(line) : line
    }
  }

  /// A text as it is shown: nothing in it controls a terminal, and its commands are complete.
  private func shown(_ text: String) -> String {
    PrintableText.cleanLines(SuggestedCommands.completed(text, run))
  }

  /// Writes a result as sorted JSON with `"schema": 1`, in one line.
  package func result(json value: JSONOutput) throws(UserMessage) {
    try write(Array((complete(value).text + "\n").utf8), to: standardOutput)
  }

  /// A result with what every result has.
  package func complete(_ value: JSONOutput) -> JSONOutput {
    var object = run.others.added(to: value)
    object["schema"] = 1
    return object
  }

  /// Writes the result of a change that is made by now.
  ///
  /// - Parameters:
  ///   - line: the result as text.
  ///   - object: the result as JSON.
  ///   - change: what is true also when nobody could be told.
  /// - Throws: `io` with `change` as the hint.
  package func result(
    _ line: String, json object: JSONOutput, ofChange change: String
  ) throws(UserMessage) {
    try telling(change) { () throws(UserMessage) in
      if json { try result(json: object) } else { try result(line) }
    }
  }

  /// Writes the JSON of a change that is made by now.
  ///
  /// - Parameters:
  ///   - object: the result.
  ///   - change: what is true also when nobody could be told.
  /// - Throws: `io` with `change` as the hint.
  package func result(json object: JSONOutput, ofChange change: String) throws(UserMessage) {
    try telling(change) { () throws(UserMessage) in try result(json: object) }
  }

  private func telling(
    _ change: String, _ write: () throws(UserMessage) -> Void
  ) throws(UserMessage) {
    do throws(UserMessage) {
      try write()
    } catch {
      throw UserMessage(error.code, error.message, hint: change)
    }
  }

  /// Writes a piece of a line of result.
  package func write(text: String) throws(UserMessage) {
    try write(Array(text.utf8), to: standardOutput)
  }

  /// Writes secret bytes to standard output, straight from guarded memory.
  package func result(secret: borrowing SecretBytes) throws(UserMessage) {
    try secret.withBytes { (bytes) throws(UserMessage) in
      try Self.writeAll(bytes, to: standardOutput)
    }
  }

  /// Writes secret JSON: as it is, but on a terminal without what could steer that.
  ///
  /// - Parameter entry: JSON as another program or computer may have sealed it.
  /// - Throws: `io`.
  package func result(entry: borrowing SecretBytes) throws(UserMessage) {
    if resultIsTerminal {
      try result(secret: PrintableSecret.escaped(entry))
    } else {
      try result(secret: entry)
    }
  }

  /// Writes text that is JSON already: the same value, whatever shows it.
  package func result(jsonText text: String) throws(UserMessage) {
    try result(entry: unsafe SecretBytes(copying: Array((text + "\n").utf8).span.bytes))
  }

  /// Whether results are read by a person on a terminal.
  package var resultIsTerminal: Bool { isatty(standardOutput) == 1 }

  /// The file that results are written to, where a shell sends them to one.
  package var resultFile: String? { StandardStreams.file(at: standardOutput) }

  /// Refuses to show a secret to anyone who looks at the terminal.
  ///
  /// - Parameter secret: what would be shown.
  /// - Throws: `usage` when results go to a terminal.
  package func requireNoTerminal(_ secret: String) throws(UserMessage) {
    guard resultIsTerminal else { return }
    throw UserMessage(
      .usage, "\(secret) is a secret and would be shown on the terminal",
      hint: "pipe it, write it with --out FILE, or add --reveal")
  }

  /// Writes a note for the person, unless `--quiet`.
  ///
  /// A note that cannot be written is dropped: it must not end the work it
  /// tells about.
  package func note(_ line: String) {
    if !quiet { warn(line) }
  }

  /// Writes a line that even `--quiet` does not hide.
  ///
  /// It may repeat a file's name, which anybody who writes to the synced folder
  /// chooses: what could steer the terminal is taken out. No note or warning
  /// repeats a secret that was typed on the command line either.
  package func warn(_ line: String) {
    tell(run.typed.hiding(line: SuggestedCommands.completed(line, run)))
  }

  private func tell(_ line: String) {
    let told = noteScreen.told(shown(line))
    try? write(Array((told + "\n").utf8), to: standardError)
  }

  /// Writes a note that has to be shown: a step that the person must take.
  ///
  /// What was typed stands in it as ``TypedSecrets/naming(_:else:)`` gives it, and nowhere else.
  package func note(required line: String) {
    if !quiet { tell(line) }
  }

  /// Writes a picture made of letters among the notes, unless `--quiet`: light on dark.
  ///
  /// - Parameter lines: as wide as the picture is.
  /// - Returns: whether the screen can show it. Nothing is written otherwise.
  package func note(picture lines: [String]) -> Bool {
    let screen = noteScreen
    let columns = lines.map(\.count).max() ?? 0
    guard Self.showsBlocks(environment), screen.width.map({ $0 >= columns }) ?? true else {
      return false
    }
    if quiet { return true }
    // White letters on black, whatever the terminal's own colours are.
    let (start, end) = screen.showsBold ? ("\u{1B}[0;97;40m", "\u{1B}[0m\n") : ("", "\n")
    for line in lines { try? write(Array((start + line + end).utf8), to: standardError) }
    return true
  }

  /// Whether the locale has characters beyond ASCII.
  private static func showsBlocks(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    return locale?.lowercased().replacing("-", with: "").contains("utf8") == true
  }

  /// Writes what happened and what to do, each in lines that say which.
  package func warn(_ message: UserMessage) {
    warn("keybackup: \(PrintableText.clean(message.message, limit: 2000))")
    for hint in message.hint?.split(separator: "\n") ?? [] { warn("hint: \(hint)") }
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(UserMessage) {
    try unsafe Self.writeAll(bytes.span.bytes, to: descriptor)
  }

  /// Writes all of `bytes`, however many calls that takes.
  ///
  /// - Returns: 0 or `errno`.
  package static func write(_ bytes: RawSpan, to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = unsafe Glibc.write(
          descriptor, UnsafeRawBufferPointer(rebasing: bytes[done...]).baseAddress,
          bytes.count - done)
        if count > 0 {
          done += count
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Writes all of `bytes` as a result.
  package static func writeAll(_ bytes: RawSpan, to descriptor: Int32) throws(UserMessage) {
    let failure = write(bytes, to: descriptor)
    if failure == EPIPE { throw .readerGone }
    if failure != 0 {
      throw UserMessage(
        .io, "the output could not be written: \(systemText(failure))",
        hint: failure == EBADF
          ? nil : "free some space or choose another place for the output")
    }
  }
}

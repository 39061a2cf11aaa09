package import CommandKit
internal import Glibc
internal import PRFDevice
package import SecretMemory

/// The means of asking for a PIN that no descriptor and no file provides.
///
/// The order and its reasons are in docs/decisions/0011-pin-sources.md.
package enum PINAsker: Sendable, Equatable {
  /// A program that is given the question as its argument and prints the PIN.
  case askpass(PINProgram)
  /// A program of GnuPG's kind, which speaks the Assuan protocol.
  case pinentry(PINProgram)
  case terminal
  case nobody

  /// The word in an event.
  package var word: String {
    switch self {
    case .askpass: "askpass"
    case .pinentry: "pinentry"
    case .terminal, .nobody: "terminal"
    }
  }

  /// Whether a program asks, which may be a script that always gives the same answer.
  package var isProgram: Bool {
    switch self {
    case .askpass, .pinentry: true
    case .terminal, .nobody: false
    }
  }

  /// The time limit of a program, in seconds.
  package static let patience = 300

  /// Asks once.
  ///
  /// - Parameters:
  ///   - question: the text to show.
  ///   - prompter: the terminal.
  /// - Returns: the PIN as typed; nil if nobody can be asked or the input has ended.
  /// - Throws: `interrupted`, `denied` when the user cancels, `config` when the program cannot be
  ///   used.
  package func ask(
    _ question: PINQuestion, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes? {
    do throws(UserMessage) {
      return try askOnce(question, prompter)
    } catch {
      // Ctrl-C also ends the program, often before this process knows the signal, which another
      // thread receives.
      if isProgram, Interruption.arrives(within: 500) { throw .interrupted }
      throw error
    }
  }

  private func askOnce(
    _ question: PINQuestion, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes? {
    switch self {
    case .askpass(let program):
      return try Askpass(program: program).ask(question.line, for: question.what)
    case .pinentry(let program):
      // A program that draws on the terminal may be killed before it restores the settings.
      prompter.terminal?.keepSettings()
      defer { Terminal.restoreAll() }
      var pinentry = try Pinentry(
        program: program, for: question.what, prompter.output.environment)
      return try pinentry.ask(question)
    case .terminal, .nobody:
      if let complaint = question.complaint { prompter.tell(complaint) }
      return try prompter.secret(question.prompt, limit: PIN.maximumTypedBytes)
    }
  }
}

/// A program that asks in this one's place.
package struct PINProgram: Sendable, Equatable {
  /// A path, or a name that is looked for in PATH.
  package let command: String
  /// The variable or setting that names it, for messages.
  package let namedBy: String
}

/// The programs for asking that the environment and keybackup.conf name.
package struct PINPrograms: Sendable {
  /// The values of `SSH_ASKPASS_REQUIRE` as in OpenSSH.
  enum Requirement: String {
    case never, prefer, force
  }

  private var askpass: PINProgram?
  private var openSSHAskpass: PINProgram?
  private var requirement: Requirement?
  private var pinentry: PINProgram?
  private var hasDisplay = false

  /// Creates the value without programs.
  package init() {}

  package init(_ world: World, _ settings: SettingsFile) {
    func program(_ variable: String) -> PINProgram? {
      world.variable(variable).map { PINProgram(command: $0, namedBy: variable) }
    }
    let setting = settings[.askpass]
    askpass =
      program("KEYBACKUP_ASKPASS")
      ?? setting.map { PINProgram(command: $0.value, namedBy: $0.place) }
    openSSHAskpass = program("SSH_ASKPASS")
    requirement = world.variable("SSH_ASKPASS_REQUIRE").flatMap {
      Requirement(rawValue: $0.lowercased())
    }
    pinentry = program("KEYBACKUP_PINENTRY")
    hasDisplay = world.variable("DISPLAY") != nil || world.variable("WAYLAND_DISPLAY") != nil
  }

  /// The means of asking to use.
  package func asker(_ prompter: Prompter) -> PINAsker {
    guard prompter.mayAsk else { return .nobody }
    if let askpass { return .askpass(askpass) }
    if let openSSHAskpass, wantsOpenSSHAskpass(prompter) { return .askpass(openSSHAskpass) }
    if let pinentry { return .pinentry(pinentry) }
    if prompter.canAsk { return .terminal }
    if hasDisplay, HelperProgram.exists("pinentry", prompter.output.environment) {
      return .pinentry(PINProgram(command: "pinentry", namedBy: "KEYBACKUP_PINENTRY"))
    }
    return .nobody
  }

  /// Whether to use OpenSSH's program.
  ///
  /// The rule is OpenSSH's, except that a process without a terminal needs no display: the program
  /// may need none, and there is no alternative.
  private func wantsOpenSSHAskpass(_ prompter: Prompter) -> Bool {
    switch requirement {
    case .never: false
    case .force: true
    case .prefer: hasDisplay || !prompter.canAsk
    case nil: !prompter.canAsk
    }
  }
}

internal import Glibc
internal import PRFDevice
internal import SecretMemory

/// Who is asked for a PIN that no descriptor and no file holds.
///
/// The order and its reasons: docs/decisions/0011-pin-sources.md.
enum PINAsker: Sendable, Equatable {
  /// A program that is given the question as its argument and prints the PIN.
  case askpass(PINProgram)
  /// A program of GnuPG's kind, which speaks the Assuan protocol.
  case pinentry(PINProgram)
  case terminal
  case nobody

  /// The word in an event.
  var word: String {
    switch self {
    case .askpass: "askpass"
    case .pinentry: "pinentry"
    case .terminal, .nobody: "terminal"
    }
  }

  /// Whether a program asks, which may be a script that always says the same.
  var isProgram: Bool {
    switch self {
    case .askpass, .pinentry: true
    case .terminal, .nobody: false
    }
  }

  /// How long a program may take, in seconds.
  static let patience = 300

  /// Asks once.
  ///
  /// - Parameters:
  ///   - question: what to show.
  ///   - prompter: the terminal.
  /// - Returns: the PIN as typed; nil: there is nobody, or the input has ended.
  /// - Throws: `interrupted`, `denied` when the person cancels, `config` when
  ///   the program cannot be used.
  func ask(
    _ question: PINQuestion, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes? {
    do throws(UserMessage) {
      return try askOnce(question, prompter)
    } catch {
      // Ctrl-C ends the program as well, often before the signal, which another
      // thread fetches, is known here.
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
      // One that draws on the terminal may be killed before it tidies up.
      prompter.terminal?.keepSettings()
      defer { Terminal.restoreAll() }
      var pinentry = try Pinentry(program: program, for: question.what)
      return try pinentry.ask(question)
    case .terminal, .nobody:
      if let complaint = question.complaint { prompter.tell(complaint) }
      return try prompter.secret(question.prompt, limit: PIN.maximumTypedBytes)
    }
  }
}

/// A question for a PIN, or for another secret, in the parts that the ways of asking need.
struct PINQuestion: Sendable {
  /// What is asked for, such as "PIN for YubiKey 5".
  var subject: String
  /// What to know before answering, such as "8 tries left".
  var note: String?
  /// What was wrong with the answer before, one sentence with its full stop.
  var complaint: String?
  /// The secret's name in the middle of a sentence.
  var what = PINQuestion.pin

  /// A security key's PIN in the middle of a sentence.
  static let pin = "PIN"

  /// The secret's name by itself.
  var title: String { what.prefix(1).uppercased() + what.dropFirst() }
  /// For a terminal.
  var prompt: String { subject + (note.map { " (\($0))" } ?? "") + ": " }
  /// For a program that takes one line.
  var line: String { (complaint.map { $0 + " " } ?? "") + prompt }
}

extension UserMessage {
  /// A secret that somebody was asked for and that nobody gave.
  static func notGiven(_ what: String, _ how: String) -> UserMessage {
    UserMessage(
      .denied, "no \(what) was given \(how)",
      hint: what == PINQuestion.pin ? "try again; no try was spent" : "try again")
  }
}

/// A program that asks in this one's place.
struct PINProgram: Sendable, Equatable {
  /// A path, or a name that is looked for in PATH.
  let command: String
  /// The variable or setting that names it, for messages.
  let namedBy: String
}

/// The programs for asking that the environment and keybackup.conf name.
struct PINPrograms: Sendable {
  /// `SSH_ASKPASS_REQUIRE`, as OpenSSH reads it.
  enum Requirement: String {
    case never, prefer, force
  }

  private var askpass: PINProgram?
  private var openSSHAskpass: PINProgram?
  private var requirement: Requirement?
  private var pinentry: PINProgram?
  private var hasDisplay = false

  /// None.
  init() {}

  init(_ world: World, _ settings: SettingsFile) {
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

  /// The one to ask.
  func asker(_ prompter: Prompter) -> PINAsker {
    guard prompter.mayAsk else { return .nobody }
    if let askpass { return .askpass(askpass) }
    if let openSSHAskpass, wantsOpenSSHAskpass(prompter) { return .askpass(openSSHAskpass) }
    if let pinentry { return .pinentry(pinentry) }
    if prompter.canAsk { return .terminal }
    if hasDisplay, HelperProgram.exists("pinentry") {
      return .pinentry(PINProgram(command: "pinentry", namedBy: "KEYBACKUP_PINENTRY"))
    }
    return .nobody
  }

  /// As OpenSSH decides it, but that a process without a terminal need not have
  /// a display: the program may need none, and there is nobody else.
  private func wantsOpenSSHAskpass(_ prompter: Prompter) -> Bool {
    switch requirement {
    case .never: false
    case .force: true
    case .prefer: hasDisplay || !prompter.canAsk
    case nil: !prompter.canAsk
    }
  }
}

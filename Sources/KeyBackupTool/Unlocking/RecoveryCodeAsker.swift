internal import CSPP
internal import PRFDevice
internal import SecretMemory

/// Obtains the recovery code from a user or a program.
struct RecoveryCodeAsker {
  private let options: RecoveryCodeOptions
  private let prompter: Prompter
  private let asker: PINAsker

  /// The most times that a user is asked.
  private static let attempts = 5

  init(
    _ options: RecoveryCodeOptions, _ common: CommonOptions, _ world: World
  ) throws(UserMessage) {
    self.options = options
    prompter = common.prompter(world)
    asker = PINPrograms(world, try SettingsFile.load(world)).asker(prompter)
  }

  /// Reads the code from the file or descriptor in the options, or otherwise asks for it.
  ///
  /// - Throws: `data-invalid` when it is not a code, `config` when nobody can be asked, and the
  ///   errors of the sources.
  func code() throws(UserMessage) -> RecoveryCode {
    guard let given = try given() else { return try ask() }
    do throws(RecoveryCode.Mistake) {
      return try RecoveryCode(parsing: given)
    } catch {
      throw UserMessage(error)
    }
  }

  private func given() throws(UserMessage) -> SecretBytes? {
    if options.recoveryCodeFile == "-" {
      return try InputFile.readText(
        "-", limit: RecoveryCode.typedLimit, asking: "recovery code", prompter)
    }
    return try SecretLine.read(
      descriptor: options.recoveryCodeFd, orFile: options.recoveryCodeFile,
      what: "recovery code", option: "--recovery-code-file", limit: RecoveryCode.typedLimit)
  }

  private func ask() throws(UserMessage) -> RecoveryCode {
    var question = PINQuestion(subject: "Recovery code", what: "recovery code")
    var last = SecretBytes(zeroed: 0)
    for attempt in 1... {
      guard let typed = try asker.ask(question, prompter) else {
        throw UserMessage(
          .config, "the recovery code is needed and nobody can be asked",
          hint: "use --recovery-code-file or --recovery-code-fd")
      }
      do throws(RecoveryCode.Mistake) {
        return try RecoveryCode(parsing: typed)
      } catch {
        let message = UserMessage(error)
        // A script would repeat the same answer forever.
        let isRepeated = asker.isProgram && typed.isEqual(to: last)
        guard attempt < Self.attempts, !isRepeated else { throw message }
        question.complaint = message.sentence
      }
      last = typed.copy()
    }
    throw .interrupted
  }
}

extension UserMessage {
  /// Describes the mistake in a typed code, without any of its text.
  init(_ mistake: RecoveryCode.Mistake) {
    self =
      switch mistake {
      case .length(let count):
        UserMessage(
          .dataInvalid,
          "a recovery code has \(RecoveryCode.symbolCount) letters and digits, this has \(count)",
          hint: "compare it with the page; nothing was tried")
      case .character(let place):
        UserMessage(
          .dataInvalid, "character \(place) cannot be part of a recovery code",
          hint: "a code has digits and letters, but no U; nothing was tried")
      case .checkSymbol:
        UserMessage(
          .dataInvalid, "a character is wrong, or two changed places",
          hint: "compare every group with the page; nothing was tried")
      }
  }
}

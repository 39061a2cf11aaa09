package import CSPP
package import CommandKit
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys

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
      return try Self.parse(given)
    } catch {
      throw UserMessage(error)
    }
  }

  private func given() throws(UserMessage) -> SecretBytes? {
    if options.recoveryCodeFile == "-" {
      return try InputFile.readText(
        "-", limit: RecoveryCode.typedLimit, asking: "recovery code", prompter)
    }
    if options.recoveryCodeFd == nil, let file = options.recoveryCodeFile {
      return try SecretLine.read(
        file: file, what: "recovery code", option: "--recovery-code-file", isWhole: true,
        limit: RecoveryCode.typedLimit)
    }
    return try SecretLine.read(
      descriptor: options.recoveryCodeFd, orFile: nil, what: "recovery code",
      limit: RecoveryCode.typedLimit)
  }

  /// The code on the first line; if that has fewer characters, on all lines.
  private static func parse(
    _ text: borrowing SecretBytes
  ) throws(RecoveryCode.Mistake) -> RecoveryCode {
    let lineSize = text.withBytes { text in
      (0..<text.byteCount).first {
        unsafe text.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == 10
      } ?? text.byteCount
    }
    do throws(RecoveryCode.Mistake) {
      return try RecoveryCode(parsing: text.copy(0..<lineSize))
    } catch .length(let count) where count < RecoveryCode.symbolCount {
      return try RecoveryCode(parsing: text)
    } catch {
      throw error
    }
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
  package init(_ mistake: RecoveryCode.Mistake) {
    self =
      switch mistake {
      case .length(let count):
        UserMessage(
          .dataInvalid,
          "a recovery code has \(RecoveryCode.symbolCount) letters and digits, this has \(count)"
            + (count < RecoveryCode.symbolCount ? "; all groups belong on one line" : ""),
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

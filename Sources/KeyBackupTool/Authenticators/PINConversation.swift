internal import PRFDevice
internal import SecretMemory

/// Asking for one key's PIN until there is one that is worth a try.
///
/// A person may answer again; a descriptor, a file, or a program that says the
/// same twice may not.
struct PINConversation: ~Copyable {
  /// The least number of characters, where the key has told.
  var minimumLength = PIN.minimumCodePoints

  private let key: OpenAuthenticator
  private var reason = PINRequest.Reason.first
  private var complaint: String?
  /// The answer before.
  private var last = SecretBytes(zeroed: 0)
  private var asked = 0

  /// No program is asked more often.
  private static let limit = 20

  init(_ key: OpenAuthenticator) { self.key = key }

  /// Says what was wrong with the PIN before, together with the next question.
  mutating func complain(_ text: String, _ reason: PINRequest.Reason) {
    complaint = text
    self.reason = reason
  }

  /// The next PIN to try: neither refused before nor against the rules.
  ///
  /// - Parameter retries: how many tries are left.
  /// - Returns: the PIN.
  /// - Throws: `pin-invalid`, `data-invalid`, and what the sources throw.
  mutating func next(retries: Int) throws(UserMessage) -> PIN {
    while true {
      let typed = try read(retries)
      let isRepeated = asked > 0 && typed.isEqual(to: last)
      asked += 1
      last = typed.copy()
      do throws(Unsent) {
        return try acceptable(typed, isRepeated)
      } catch {
        let mayAnswerAgain = key.finder.pins.source == nil && key.finder.asker != .nobody
        let isScript = key.finder.asker.isProgram && (isRepeated || asked >= Self.limit)
        guard mayAnswerAgain, !isScript else { throw error.failure }
        complain(error.complaint, error.reason)
      }
    }
  }

  /// Why a PIN is not sent.
  private struct Unsent: Error {
    var reason: PINRequest.Reason
    /// For a person who may answer again.
    var complaint: String
    /// For everybody else.
    var failure: UserMessage
  }

  private func acceptable(
    _ typed: borrowing SecretBytes, _ isRepeated: Bool
  ) throws(Unsent) -> PIN {
    // A code is never the same twice: who enters it again has chosen it as PIN.
    if OneTimeCode.matches(typed), !isRepeated {
      throw Unsent(
        reason: .code,
        complaint: "That was the one-time code that a security key types when it is touched. It "
          + "was not sent. Type the PIN.",
        failure: .oneTimeCode)
    }
    let pin: PIN
    do throws(PRFDeviceError) {
      pin = try PIN(typed)
    } catch {
      let message = UserMessage(error)
      throw Unsent(reason: .policy, complaint: message.sentence, failure: message)
    }
    if pin.codePointCount < minimumLength {
      let message = UserMessage.tooShort(minimum: minimumLength)
      throw Unsent(reason: .policy, complaint: message.sentence, failure: message)
    }
    if key.finder.refusedPINs.contains(pin, at: key.descriptor.path) {
      throw Unsent(
        reason: .same, complaint: "The key has just refused that PIN. It was not sent again.",
        failure: UserMessage(
          .pinInvalid, "\(key.name) refused this PIN already; it was not sent again",
          hint: "no further try was spent"))
    }
    return pin
  }

  private func read(_ retries: Int) throws(UserMessage) -> SecretBytes {
    let finder = key.finder
    finder.prompter.events.send(
      .pin(
        PINRequest(
          key: key.shown, retries: retries, minimumLength: minimumLength, reason: reason,
          source: finder.pins.source?.word ?? finder.asker.word)))
    if let source = finder.pins.source { return try source.read(further: finder.pins.furtherPINs) }
    let question = PINQuestion(
      subject: "PIN for \(key.name)", note: "\(UserMessage.tries(retries)) left",
      complaint: complaint)
    guard let typed = try finder.asker.ask(question, finder.prompter) else {
      throw UserMessage(.pinRequired, key: key.name)
    }
    return typed
  }
}

extension UserMessage {
  /// What should be a PIN came from the key's keyboard function.
  static let oneTimeCode = UserMessage(
    .dataInvalid,
    "the PIN looks like the one-time code that a security key types when it is touched",
    hint: "no try was spent; give the PIN of the key instead")

  /// A PIN that the key would refuse.
  static func tooShort(minimum: Int) -> UserMessage {
    UserMessage(
      .dataInvalid, "the PIN is too short: at least \(minimum) characters",
      hint: "no try was spent; choose another PIN")
  }
}

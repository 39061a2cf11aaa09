internal import CommandKit
internal import PRFDevice
internal import SecretMemory

/// The conversation that asks for one key's PIN until one is worth a try.
///
/// A user may answer again. A descriptor, a file, or a program that repeats its answer may not.
struct PINConversation: ~Copyable {
  /// The smallest number of characters, if the key states it.
  var minimumLength = PIN.minimumCodePoints

  private let key: OpenAuthenticator
  private var reason = PINRequest.Reason.first
  private var complaint: String?
  /// The previous answer.
  private var last = SecretBytes(zeroed: 0)
  private var asked = 0

  /// The most times that a program is asked.
  private static let limit = 20

  init(_ key: OpenAuthenticator) { self.key = key }

  /// Reports the problem of the previous PIN with the next question.
  mutating func complain(_ text: String, _ reason: PINRequest.Reason) {
    complaint = text
    self.reason = reason
  }

  /// The next PIN to try: neither rejected before nor against the rules.
  ///
  /// - Parameter retries: the number of tries left.
  /// - Returns: the PIN.
  /// - Throws: `pin-invalid`, `data-invalid`, and the errors of the sources.
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

  /// The reason why a PIN is not sent.
  private struct Unsent: Error {
    var reason: PINRequest.Reason
    /// The message for a user who may answer again.
    var complaint: String
    /// The message for all other sources.
    var failure: UserMessage
  }

  private func acceptable(
    _ typed: borrowing SecretBytes, _ isRepeated: Bool
  ) throws(Unsent) -> PIN {
    // A one-time code is never the same twice, so a repeated one was chosen as the PIN.
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
    if let source = finder.pins.source {
      return try source.read(
        finder.prompter.output.run, further: finder.pins.furtherPINs, finder.pins.order)
    }
    let question = PINQuestion(
      subject: "PIN for \(key.name)", note: "\(UserMessage.tries(retries)) left",
      complaint: complaint)
    guard let typed = try finder.asker.ask(question, finder.prompter) else {
      let error = UserMessage(.pinRequired, key: key.name)
      guard let withheld = finder.pins.withheld else { throw error }
      throw error.adding(
        hint: "the PIN file of \(withheld.place) is only for the first key of a command")
    }
    return typed
  }
}

extension UserMessage {
  /// The message for a PIN that came from the key's keyboard function.
  static let oneTimeCode = UserMessage(
    .dataInvalid,
    "the PIN looks like the one-time code that a security key types when it is touched",
    hint: "no try was spent; give the PIN of the key instead")

  /// The message for a PIN that the key would reject.
  static func tooShort(minimum: Int) -> UserMessage {
    UserMessage(
      .dataInvalid, "the PIN is too short: at least \(minimum) characters",
      hint: "no try was spent; choose another PIN")
  }
}

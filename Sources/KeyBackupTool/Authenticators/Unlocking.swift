internal import PRFDevice

/// One PRF evaluation that would open a backup, as its files describe it.
struct UnlockQuestion: Hashable, Sendable {
  /// Relying party ID of the credential.
  var rpID: String
  /// The credential; nil: whichever discoverable one the key holds.
  var credentialID: CredentialID?
  /// The PRF input, 32 bytes.
  var salt: [UInt8]
}

/// An evaluation and the question it answers.
struct UnlockAnswer: Sendable {
  var question: UnlockQuestion
  var evaluation: PRFEvaluation
}

extension KeyFinder {
  /// Asks the security key that can answer, with one touch where the first
  /// answer serves.
  ///
  /// Keys are told apart silently, by asking each which credential it holds.
  /// A key that is busy, locked or broken does not stop the others; neither
  /// does a file that its own key does not open.
  ///
  /// - Parameters:
  ///   - questions: what the backup's files offer.
  ///   - use: opens the backup with an answer; nil where that one does not.
  /// - Returns: what `use` returned.
  /// - Throws: `wrong-key` when no key in reach can answer, `ambiguous`,
  ///   `data-invalid` when the right key answers and no file opens.
  func ask<R: ~Copyable>(
    _ questions: [UnlockQuestion], use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R {
    let (key, held) = try await holder(of: questions)
    if held.isEmpty { try await key.requirePRF() }
    return try await key.answer(held.isEmpty ? questions : held, use: use)
  }

  /// The security key that can answer, opened.
  ///
  /// - Parameters:
  ///   - questions: what to ask it.
  ///   - mayBeHidden: the credentials may have credProtect's level 3.
  /// - Returns: the key and the questions whose credential it holds, or none
  ///   for a key that may hold one and does not tell.
  /// - Throws: `wrong-key`, `ambiguous`.
  func holder(
    of questions: [UnlockQuestion], mayBeHidden: Bool = false
  ) async throws(UserMessage) -> (OpenKey, [UnlockQuestion]) {
    let found = try await descriptors()
    var failures: [UserMessage] = []
    var undecided: [OpenKey] = []
    for descriptor in found {
      do throws(UserMessage) {
        let key = try await open(descriptor)
        switch try await key.holding(questions, mayBeHidden: mayBeHidden) {
        case .some(let held): return (key, held)
        case .perhaps: undecided.append(key)
        case .none: await key.authenticator.close()
        }
      } catch  where error.code != .interrupted && found.count > 1 {
        output.note("keybackup: \(error.message)")
        failures.append(error)
      }
    }
    guard let key = undecided.first else {
      throw failures.first ?? .nothingOpens(found.count)
    }
    guard undecided.count == 1 else {
      throw UserMessage(
        .ambiguous, "several security keys may open this backup",
        hint: "leave one, or name it with --device: "
          + undecided.map(\.descriptor.path).joined(separator: ", "))
    }
    return (key, [])
  }
}

extension UserMessage {
  /// No key in reach opens the folder.
  static func nothingOpens(_ count: Int) -> UserMessage {
    UserMessage(
      .wrongKey,
      count == 1
        ? "this security key opens nothing here"
        : "none of these security keys opens anything here",
      hint: "plug in the key the backup was made with; keybackup key list shows which")
  }

  /// The right key answers, and its file does not open.
  static let damagedWayIn = UserMessage(
    .dataInvalid, "the security key is the right one, but the file it opens is damaged",
    hint: "an older version of the keys folder from your sync provider may open; "
      + "so does another enrolled key")
}

extension OpenKey {
  /// What a silent look at the key tells.
  enum HeldQuestion {
    /// It holds the credential of these questions, which differ in their salts.
    case some([UnlockQuestion])
    /// It does not tell without its PIN, or the files name no credential.
    case perhaps
    /// It holds none of them.
    case none
  }

  /// Asks the key, without PIN and touch, which credential it holds.
  func holding(
    _ questions: [UnlockQuestion], mayBeHidden: Bool
  ) async throws(UserMessage) -> HeldQuestion {
    var undecided = false
    for rpID in Set(questions.map(\.rpID)).sorted() {
      let group = questions.filter { $0.rpID == rpID }
      let ids = group.compactMap(\.credentialID)
      undecided = undecided || ids.count < group.count
      guard !ids.isEmpty else { continue }
      switch try await call({ key throws(PRFDeviceError) in
        try await key.holds(ids, rpID: rpID, mayBeHidden: mayBeHidden)
      }) {
      case .yes(let id):
        return .some(group.filter { $0.credentialID == id })
      case .maybe: undecided = true
      case .no: break
      }
    }
    return undecided ? .perhaps : .none
  }

  /// Evaluates the PRF for one question after the other until an answer serves.
  ///
  /// Questions of one credential, and questions without one, which ask every
  /// discoverable credential, differ in their salts: each costs a touch.
  func answer<R: ~Copyable>(
    _ questions: [UnlockQuestion], use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R {
    var failure = UserMessage.nothingOpens(1)
    var hasAnswered = false
    for question in questions {
      let request = PRFRequest(
        rpID: question.rpID, credentialIDs: question.credentialID.map { [$0] } ?? [],
        first: .webAuthn(question.salt))
      if hasAnswered { finder.prompter.tell("That file did not open; there is another one.") }
      let evaluations: [PRFEvaluation]
      do throws(UserMessage) {
        evaluations = try await evaluate(request)
      } catch  where error.code == .wrongKey {
        continue
      }
      for evaluation in evaluations {
        let answer = UnlockAnswer(question: question, evaluation: evaluation)
        if let result = try use(answer) { return result }
      }
      hasAnswered = true
      if question.credentialID != nil { failure = .damagedWayIn }
    }
    throw failure
  }

  /// Evaluates the PRF under user verification, with a prompt for the touch.
  ///
  /// - Parameters:
  ///   - request: what to evaluate.
  ///   - why: what the touch does, when there is more than one.
  /// - Returns: one evaluation for each credential that answered.
  /// - Throws: what the PIN, the touch and the device can refuse.
  func evaluate(
    _ request: PRFRequest, why: String? = nil
  ) async throws(UserMessage) -> [PRFEvaluation] {
    try await verified { authenticator, pin throws(PRFDeviceError) in
      try await touched(why) { () throws(PRFDeviceError) in
        try await authenticator.evaluate(request, pin: pin)
      }
    }
  }
}

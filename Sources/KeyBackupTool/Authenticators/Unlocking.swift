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
  /// Asks the security key that can answer, with one touch.
  ///
  /// Keys are told apart silently, by asking each which credential it holds.
  /// A key that is busy, locked or broken does not stop the others.
  ///
  /// - Parameter questions: what the backup's files offer.
  /// - Returns: the answers; several only when the key itself holds several
  ///   discoverable credentials that fit.
  /// - Throws: `wrong-key` when no key in reach can answer, `ambiguous`.
  func ask(_ questions: [UnlockQuestion]) async throws(UserMessage) -> [UnlockAnswer] {
    let (key, question) = try await holder(of: questions)
    if question == nil { try await key.requirePRF() }
    return try await key.answer(question.map { [$0] } ?? questions)
  }

  /// The security key that can answer, opened.
  ///
  /// - Returns: the key and the question whose credential it holds, or nil
  ///   for a key that may hold one and does not tell.
  /// - Throws: `wrong-key`, `ambiguous`.
  func holder(
    of questions: [UnlockQuestion]
  ) async throws(UserMessage) -> (OpenKey, UnlockQuestion?) {
    let found = try await descriptors()
    var failures: [UserMessage] = []
    var undecided: [OpenKey] = []
    for descriptor in found {
      do throws(UserMessage) {
        let key = try await open(descriptor)
        switch try await key.holding(questions) {
        case .one(let question): return (key, question)
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
    return (key, nil)
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
}

extension OpenKey {
  /// What a silent look at the key tells.
  enum HeldQuestion {
    /// It holds the credential of this question.
    case one(UnlockQuestion)
    /// It does not tell without its PIN, or the files name no credential.
    case perhaps
    /// It holds none of them.
    case none
  }

  /// Asks the key, without PIN and touch, which credential it holds.
  func holding(_ questions: [UnlockQuestion]) async throws(UserMessage) -> HeldQuestion {
    var undecided = false
    for rpID in Set(questions.map(\.rpID)).sorted() {
      let group = questions.filter { $0.rpID == rpID }
      let ids = group.compactMap(\.credentialID)
      undecided = undecided || ids.count < group.count
      guard !ids.isEmpty else { continue }
      switch try await call({ key throws(PRFDeviceError) in
        try await key.holds(ids, rpID: rpID)
      }) {
      case .yes(let id):
        if let question = group.first(where: { $0.credentialID == id }) { return .one(question) }
      case .maybe: undecided = true
      case .no: break
      }
    }
    return undecided ? .perhaps : .none
  }

  /// Evaluates the PRF for the first question that the key can answer.
  func answer(_ questions: [UnlockQuestion]) async throws(UserMessage) -> [UnlockAnswer] {
    // Questions without a credential ask every discoverable one; they differ
    // in their salts at most, and are asked one after the other.
    for question in questions {
      let request = PRFRequest(
        rpID: question.rpID, credentialIDs: question.credentialID.map { [$0] } ?? [],
        first: .webAuthn(question.salt))
      do throws(UserMessage) {
        let evaluations = try await evaluate(request)
        return evaluations.map { UnlockAnswer(question: question, evaluation: $0) }
      } catch  where error.code == .wrongKey && question != questions.last {
        continue
      }
    }
    throw .nothingOpens(1)
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
      promptForTouch(why)
      return try await authenticator.evaluate(request, pin: pin)
    }
  }
}

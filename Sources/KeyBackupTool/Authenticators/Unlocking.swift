internal import PRFDevice
internal import SecretMemory

/// One PRF evaluation that would open a backup, as its files describe it.
struct UnlockQuestion: Hashable, Sendable {
  /// Relying party ID of the credential.
  var rpID: String
  /// The credential; nil: whichever discoverable one the key holds.
  var credentialID: CredentialID?
  /// The PRF input, 32 bytes.
  var salt: [UInt8]
  /// Whether another question's answer is to take the place of this one's: it is
  /// asked last.
  var isReplaced = false
}

/// The answer to a question.
struct UnlockAnswer: Sendable {
  var question: UnlockQuestion
  /// The PRF at the question's salt, and at another one.
  var evaluation: PRFEvaluation
  /// Whether the question's salt is the second one.
  var isSecond = false
  /// The key that answered.
  let key: OpenKey

  /// The PRF output for the question's salt, 32 bytes.
  func secret() -> SecretBytes {
    isSecond ? evaluation.second() ?? evaluation.first() : evaluation.first()
  }
}

extension KeyFinder {
  /// Asks the security key that can answer, with one touch where the first
  /// answer serves.
  ///
  /// Where several hold a credential and the first is locked, broken or
  /// unplugged, the next one is asked.
  ///
  /// - Parameters:
  ///   - questions: what the backup's files offer.
  ///   - wanted: what to call the key that is waited for.
  ///   - terms: what else is asked of the key.
  ///   - use: opens the backup with an answer; nil where that one does not.
  /// - Returns: what `use` returned.
  /// - Throws: `wrong-key` when no key in reach can answer, `ambiguous`,
  ///   `data-invalid` when the right key answers and no file opens.
  func ask<R: ~Copyable>(
    _ questions: [UnlockQuestion], for wanted: WantedKey = .any,
    _ terms: UnlockTerms = UnlockTerms(), use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R {
    var candidates = try await search(questions, for: wanted)
    if candidates[0].questions.isEmpty {
      candidates = [try await theOne(of: candidates)]
      try await candidates[0].key.requirePRF()
    }
    if terms.mustBeOneKey, candidates.count > 1 {
      candidates = [try await chosen(among: candidates)]
    }
    for candidate in candidates.dropLast() {
      do throws(UserMessage) {
        return try await candidate.key.answer(
          candidate.questions, extraSalt: terms.extraSalt, use: use)
      } catch  where error.concernsOneKey {
        output.warn("keybackup: \(error.message)")
        prompter.tell("Trying another security key that is plugged in.")
        await candidate.key.authenticator.close()
      }
    }
    let last = candidates[candidates.count - 1]
    return try await last.key.answer(
      last.questions.isEmpty ? questions : last.questions, extraSalt: terms.extraSalt, use: use)
  }
}

extension KeyFinder {
  /// The one of several security keys that the person touches.
  private func chosen(
    among candidates: [KeyCandidate]
  ) async throws(UserMessage) -> KeyCandidate {
    guard prompter.canAsk else { throw Self.ambiguous(candidates.map(\.key.descriptor)) }
    let key = try await touched(candidates.map(\.key), "to use")
    return candidates.first { $0.key === key } ?? KeyCandidate(key: key, questions: [])
  }
}

extension UserMessage {
  /// No key in reach opens the folder, or does so by a way in that will do.
  static func nothingOpens(_ count: Int, _ wanted: WantedKey = .any) -> UserMessage {
    let names = wanted.labels.prefix(5).map { "\"\($0)\"" }.joined(separator: " or ")
    let text =
      switch (wanted.purpose, count == 1) {
      case (.openingByCertainWays, true): "this security key is not the one that is needed now"
      case (.openingByCertainWays, false):
        "none of these security keys is the one that is needed now"
      case (_, true): "this security key opens nothing here"
      case (_, false): "none of these security keys opens anything here"
      }
    return UserMessage(
      .wrongKey, text,
      hint: "plug in \(names.isEmpty ? "a key that is enrolled" : names); keybackup key list shows "
        + "the ways in")
  }

  /// Another security key may still do what this one cannot.
  var concernsOneKey: Bool {
    switch code {
    case .pinBlocked, .pinLastTries, .pinNotSet, .authenticatorLost, .prfUnsupported, .wrongKey,
      .dataInvalid, .io:
      true
    default: isBusy
    }
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
      // A key may hold a credential beside the one that takes its place, and
      // tells of one only.
      let current = Set(group.filter { !$0.isReplaced }.compactMap(\.credentialID))
      let parts = [ids.filter(current.contains), ids.filter { !current.contains($0) }]
      for part in parts where !part.isEmpty {
        switch try await call({ key throws(PRFDeviceError) in
          try await key.holds(part, rpID: rpID, mayBeHidden: mayBeHidden)
        }) {
        case .yes(let id):
          identity = .credential(id, rpID: rpID)
          let own = group.filter { $0.credentialID == id }
          return .some(own + group.filter { $0.isReplaced && $0.credentialID != id })
        case .maybe: undecided = true
        case .no: break
        }
      }
    }
    return undecided ? .perhaps : .none
  }

  /// Evaluates the PRF for one question after the other until an answer serves.
  ///
  /// Two questions of one credential, which differ in their salts, are one
  /// touch, unless another salt is to be evaluated with each.
  func answer<R: ~Copyable>(
    _ questions: [UnlockQuestion], extraSalt: [UInt8]? = nil,
    use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R {
    var failure = UserMessage.nothingOpens(1)
    var hasAnswered = false
    for pair in Self.pairs(questions, single: extraSalt != nil) {
      let question = pair[0]
      let second = pair.count > 1 ? pair[1].salt : extraSalt
      let request = PRFRequest(
        rpID: question.rpID, credentialIDs: question.credentialID.map { [$0] } ?? [],
        first: .webAuthn(question.salt), second: second.map { .webAuthn($0) })
      if hasAnswered { finder.prompter.tell("That file did not open; there is another one.") }
      let evaluations: [PRFEvaluation]
      do throws(UserMessage) {
        evaluations = try await evaluate(request)
      } catch  where error.code == .wrongKey {
        continue
      }
      for evaluation in evaluations {
        for (place, question) in pair.enumerated() {
          let answer = UnlockAnswer(
            question: question, evaluation: evaluation, isSecond: place == 1, key: self)
          if let result = try use(answer) { return result }
        }
      }
      hasAnswered = true
      if question.credentialID != nil { failure = .damagedWayIn }
    }
    throw failure
  }

  /// Questions that one evaluation answers: two of one credential.
  private static func pairs(
    _ questions: [UnlockQuestion], single: Bool
  ) -> [[UnlockQuestion]] {
    var pairs: [[UnlockQuestion]] = []
    for question in questions {
      let partner = pairs.firstIndex { pair in
        pair.count == 1 && question.credentialID != nil && pair[0].rpID == question.rpID
          && pair[0].credentialID == question.credentialID
      }
      if let partner, !single {
        pairs[partner].append(question)
      } else {
        pairs.append([question])
      }
    }
    return pairs
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

  /// Evaluates the PRF for the only credential that answers.
  ///
  /// - Throws: `ambiguous` where several do, and what ``evaluate(_:why:)`` throws.
  func onlyEvaluation(
    _ request: PRFRequest, why: String? = nil
  ) async throws(UserMessage) -> PRFEvaluation {
    let evaluations = try await evaluate(request, why: why)
    guard let first = evaluations.first, evaluations.count == 1 else {
      throw UserMessage(
        .ambiguous, "\(name) holds \(evaluations.count) credentials of \(request.rpID)",
        hint: "name one with --credential: "
          + evaluations.map { CredentialIDArgument.encode($0.credentialID.bytes) }
          .joined(separator: ", "))
    }
    return first
  }

  /// Evaluates the PRF for one credential's one input.
  func onlyOutput(_ request: PRFRequest, why: String) async throws(UserMessage) -> SecretBytes {
    guard let evaluation = try await evaluate(request, why: why).first else {
      throw UserMessage(.prfNotDelivered, key: name)
    }
    return evaluation.first()
  }
}

internal import PRFDevice
internal import SecretMemory

/// One command's search for an answer that opens something.
struct AnswerSearch {
  /// What no key has answered yet.
  private(set) var left: [UnlockQuestion]
  /// A salt that is evaluated beside each question's.
  let extraSalt: [UInt8]?
  private var touches = 0
  /// Touches from which on a person is asked whether to go on.
  private var limit = Self.patience
  private var hasAnswered = false
  /// Whether an answer should have opened something.
  private var isDamaged = false

  /// Touches that may open nothing before a person is asked.
  ///
  /// Whoever writes to the folder can add files that name the person's key.
  static let patience = 4

  init(_ questions: [UnlockQuestion], extraSalt: [UInt8]?) {
    left = questions
    self.extraSalt = extraSalt
  }

  /// Why nothing opened.
  var failure: UserMessage {
    guard hasAnswered else { return .nothingOpens(1) }
    return isDamaged || left.isEmpty ? .damagedKeySlot : .answeredForNothing
  }

  /// Puts aside what was answered and opened nothing.
  mutating func note(_ answered: [UnlockQuestion]) {
    touches += 1
    left.removeAll { answered.contains($0) }
    guard answered.contains(where: { $0.credentialID != nil }) else { return }
    hasAnswered = true
    isDamaged = isDamaged || answered.contains(where: \.isKnown)
  }

  /// Puts aside what a key says it cannot answer.
  mutating func putAside(_ refused: [UnlockQuestion]) {
    left.removeAll { refused.contains($0) }
  }

  /// Before one more touch: says that there is another file, and after some asks whether to go on.
  ///
  /// - Throws: `ambiguous` when nobody says so.
  mutating func requirePatience(_ files: Int, _ prompter: Prompter) throws(UserMessage) {
    guard touches > 0 else { return }
    guard touches >= limit else {
      return prompter.tell("That file did not open. Trying another one.")
    }
    guard prompter.canAsk else { throw .tooManyFiles(touches, files) }
    prompter.tell(
      "\(touches) touches opened nothing. Somebody may have put files that name your key into "
        + "the folder.")
    guard try prompter.confirm("Go on with the \(counted(files, "file")) left?") else {
      throw .tooManyFiles(touches, files)
    }
    limit = touches + Self.patience
  }
}

extension OpenAuthenticator {
  /// Evaluates the PRF for one question after the other until an answer serves.
  ///
  /// Two questions of one credential, which differ in their salts, are one
  /// touch, unless another salt is to be evaluated with each. Where a credential's
  /// answers open nothing, the key is asked silently which other one it holds.
  ///
  /// - Parameters:
  ///   - held: what it holds the credential of; none: it does not tell.
  ///   - search: what is left to be asked.
  ///   - use: opens the backup with an answer; nil where that one does not.
  /// - Returns: what `use` returned; nil where no answer served.
  /// - Throws: what the key and `use` throw; `ambiguous` after too many touches.
  func answer<R: ~Copyable>(
    _ held: [UnlockQuestion], _ search: inout AnswerSearch,
    use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R? {
    var held = held
    var tells = !held.isEmpty
    // Some keys tell once they have seen the PIN: after the first refusal they are looked at again.
    var mayTell = !tells
    var asked: Set<UnlockQuestion> = []
    while true {
      let questions = tells ? held : search.left.filter { !asked.contains($0) }
      let before = search.left.count
      if let result = try await answerInTurn(
        questions, &search, untilRefused: mayTell, use: use)
      {
        return result
      }
      let wasRefused = mayTell && search.left.count < before
      if !wasRefused { asked.formUnion(questions) }
      let rest = search.left.filter { !asked.contains($0) }
      guard tells || wasRefused, !rest.isEmpty else { return nil }
      mayTell = false
      switch try await holding(rest, mayBeHidden: false) {
      case .some(let next): (held, tells) = (next, true)
      case .perhaps: tells = false
      case .none: return nil
      }
    }
  }

  private func answerInTurn<R: ~Copyable>(
    _ questions: [UnlockQuestion], _ search: inout AnswerSearch, untilRefused: Bool,
    use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R? {
    var files = questions.count
    for pair in Self.pairs(questions, single: search.extraSalt != nil) {
      let question = pair[0]
      let second = pair.count > 1 ? pair[1].salt : search.extraSalt
      let request = PRFRequest(
        rpID: question.rpID, credentialIDs: question.credentialID.map { [$0] } ?? [],
        first: .webAuthn(question.salt), second: second.map { .webAuthn($0) })
      try search.requirePatience(files, finder.prompter)
      files -= pair.count
      let evaluations: [PRFEvaluation]
      do throws(UserMessage) {
        evaluations = try await evaluate(request)
      } catch  where error.code == .wrongKey {
        search.putAside(pair)
        if untilRefused { return nil }
        continue
      }
      for evaluation in evaluations {
        for (place, question) in pair.enumerated() {
          let answer = UnlockAnswer(
            question: question, evaluation: evaluation, isSecond: place == 1, key: self)
          if let result = try use(answer) { return result }
        }
      }
      search.note(pair)
    }
    return nil
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
}

package import CommandKit
internal import PRFDevice
internal import SecretMemory

/// The search of one command for an answer that opens something.
package struct AnswerSearch {
  /// The questions that no key has answered yet.
  package private(set) var left: [UnlockQuestion]
  /// A salt that is evaluated together with each question's.
  package let extraSalt: [UInt8]?
  private var touches = 0
  /// The number of touches from which the user is asked whether to continue.
  private var limit = Self.patience
  private var hasAnswered = false
  /// Whether an answer should have opened something.
  private var isDamaged = false

  /// The number of touches without success before the user is asked.
  ///
  /// Anyone who can write to the folder can add files that name the user's key.
  package static let patience = 4

  package init(_ questions: [UnlockQuestion], extraSalt: [UInt8]?) {
    left = questions
    self.extraSalt = extraSalt
  }

  /// The reason why nothing opened.
  package var failure: UserMessage {
    guard hasAnswered else { return .nothingOpens(1) }
    return isDamaged || left.isEmpty ? .damagedKeySlot : .answeredForNothing
  }

  /// Removes questions that were answered and opened nothing.
  package mutating func note(_ answered: [UnlockQuestion]) {
    touches += 1
    left.removeAll { answered.contains($0) }
    guard answered.contains(where: { $0.credentialID != nil }) else { return }
    hasAnswered = true
    isDamaged = isDamaged || answered.contains(where: \.isKnown)
  }

  /// Removes questions that a key says it cannot answer.
  package mutating func putAside(_ refused: [UnlockQuestion]) {
    left.removeAll { refused.contains($0) }
  }

  /// Reports, before one more touch, that there is another file; after several touches, asks
  /// whether to continue.
  ///
  /// - Throws: `ambiguous` when nobody agrees.
  package mutating func requirePatience(_ files: Int, _ prompter: Prompter) throws(UserMessage) {
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
  /// Evaluates the PRF for one question after another until an answer opens the backup.
  ///
  /// Two questions of one credential with different salts take one touch, unless another salt is
  /// evaluated with each. If a credential's answers do not open the backup, the key is asked
  /// silently which other one it holds.
  ///
  /// - Parameters:
  ///   - held: the questions whose credential the key holds; empty if it does not tell.
  ///   - search: the questions that are left.
  ///   - use: opens the backup with an answer; returns nil if the answer does not open it.
  /// - Returns: the result of `use`; nil where no answer opened it.
  /// - Throws: the errors of the key and `use`; `ambiguous` after too many touches.
  package func answer<R: ~Copyable>(
    _ held: [UnlockQuestion], _ search: inout AnswerSearch,
    use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R? {
    var held = held
    var tells = !held.isEmpty
    // Some keys tell once they have received the PIN: they are queried again after the first
    // refusal.
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

  /// Groups questions that one evaluation answers: two of one credential.
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

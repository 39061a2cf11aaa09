package import CommandKit
package import PRFDevice
package import SecretMemory

/// One PRF evaluation that would open a backup, as its files describe it.
///
/// Two questions are equal if a security key answers them alike.
package struct UnlockQuestion: Hashable, Sendable {
  /// The relying party ID of the credential.
  package var rpID: String
  /// The credential; nil for any discoverable credential on the key.
  package var credentialID: CredentialID?
  /// The PRF input, 32 bytes.
  package var salt: [UInt8]
  /// Whether another question's answer replaces this one's, so that it is asked last.
  package var isReplaced = false
  /// How likely the answer opens something; the lowest rank is asked first.
  package var rank = 0
  /// Whether this computer knows that the answer opened something, or should.
  package var isKnown = false

  package init(
    rpID: String, credentialID: CredentialID? = nil, salt: [UInt8], isReplaced: Bool = false,
    rank: Int = 0, isKnown: Bool = false
  ) {
    self.rpID = rpID
    self.credentialID = credentialID
    self.salt = salt
    self.isReplaced = isReplaced
    self.rank = rank
    self.isKnown = isKnown
  }

  package static func == (one: Self, other: Self) -> Bool {
    one.rpID == other.rpID && one.credentialID == other.credentialID && one.salt == other.salt
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(rpID)
    hasher.combine(credentialID)
    hasher.combine(salt)
  }
}

/// The answer to a question.
package struct UnlockAnswer: Sendable {
  package var question: UnlockQuestion
  /// The PRF outputs for the question's salt and for another salt.
  package var evaluation: PRFEvaluation
  /// Whether the question's salt is the second one.
  package var isSecond = false
  /// The key that answered.
  package let key: OpenAuthenticator

  /// The PRF output for the question's salt, 32 bytes.
  package func secret() -> SecretBytes {
    isSecond ? evaluation.second() ?? evaluation.first() : evaluation.first()
  }

  /// The PRF output for the other salt of the same touch.
  package func other() -> SecretBytes? { isSecond ? evaluation.first() : evaluation.second() }
}

extension AuthenticatorFinder {
  /// Asks the security key that can answer, with one touch if the first answer opens the backup.
  ///
  /// If several keys hold a credential and the first is locked, broken or unplugged, the next one
  /// is asked. An answer that does not open the backup is dropped, and the search continues as if
  /// its file did not exist.
  ///
  /// - Parameters:
  ///   - questions: the questions from the backup's files, the likeliest first.
  ///   - wanted: the names of the key to wait for.
  ///   - terms: further requirements for the key.
  ///   - use: opens the backup with an answer; returns nil if the answer does not open it.
  /// - Returns: the result of `use`.
  /// - Throws: `wrong-key` when no connected key can answer, `ambiguous`, `data-invalid` when the
  ///   right key answers and no file opens.
  package func ask<R: ~Copyable>(
    _ questions: [UnlockQuestion], for wanted: WantedAuthenticator = .any,
    _ terms: UnlockTerms = UnlockTerms(), use: (UnlockAnswer) throws(UserMessage) -> R?
  ) async throws(UserMessage) -> R {
    var search = AnswerSearch(questions, extraSalt: terms.extraSalt)
    var candidates = try await self.search(questions, for: wanted)
    if candidates[0].questions.isEmpty {
      candidates = [try await theOne(of: candidates)]
      try await candidates[0].key.requirePRF()
    }
    if terms.mustBeOneKey, candidates.count > 1 {
      candidates = [try await chosen(among: candidates)]
    }
    while true {
      let before = search.left.count
      for (place, candidate) in candidates.sortedByRank.enumerated() {
        do throws(UserMessage) {
          if let result = try await candidate.key.answer(candidate.questions, &search, use: use) {
            return result
          }
        } catch  where error.concernsOneKey && place < candidates.count - 1 {
          output.warn("keybackup: \(error.message)")
          prompter.tell("Trying another security key that is plugged in.")
        }
        if place < candidates.count - 1 { await candidate.key.authenticator.close() }
      }
      let isSure = candidates.allSatisfy { !$0.questions.isEmpty }
      guard isSure, search.left.count < before, !search.left.isEmpty, !terms.mustBeOneKey else {
        throw search.failure
      }
      for candidate in candidates { await candidate.key.authenticator.close() }
      do throws(UserMessage) {
        candidates = try await self.search(search.left, for: wanted)
      } catch  where error.code == .wrongKey || error.code == .noAuthenticator {
        throw search.failure
      }
    }
  }
}

extension [AuthenticatorCandidate] {
  /// The candidates named by the likeliest files first, otherwise in their order.
  fileprivate var sortedByRank: [AuthenticatorCandidate] {
    let ranks = map { $0.questions.map(\.rank).min() ?? 0 }
    return indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { self[$0] }
  }
}

extension AuthenticatorFinder {
  /// The security key among several that the user touches.
  private func chosen(
    among candidates: [AuthenticatorCandidate]
  ) async throws(UserMessage) -> AuthenticatorCandidate {
    guard prompter.canAsk else { throw Self.ambiguous(candidates.map(\.key.descriptor)) }
    let key = try await touched(candidates.map(\.key), "to use")
    return candidates.first { $0.key === key } ?? AuthenticatorCandidate(key: key, questions: [])
  }
}

extension UserMessage {
  /// The error that no connected key opens the folder, or none through a suitable key slot.
  package static func nothingOpens(_ count: Int, _ wanted: WantedAuthenticator = .any)
    -> UserMessage
  {
    let names = wanted.labels.prefix(5).map { "\"\(PrintableText.name($0))\"" }.joined(
      separator: " or ")
    let text =
      switch (wanted.purpose, count == 1) {
      case (.openingByCertainKeySlots, true): "this security key is not the one that is needed now"
      case (.openingByCertainKeySlots, false):
        "none of these security keys is the one that is needed now"
      case (.removing, true):
        "this security key is the one to be removed, or does not open this backup"
      case (.removing, false): "these security keys are to be removed, or do not open this backup"
      case (_, true): "this security key does not open this backup"
      case (_, false): "none of these security keys opens this backup"
      }
    return UserMessage(
      .wrongKey, text,
      hint: "plug in \(names.isEmpty ? "a key that is enrolled" : names); to see the ways in: "
        + "keybackup key list")
  }

  /// Whether another security key may still do what this one cannot.
  var concernsOneKey: Bool {
    switch code {
    case .pinBlocked, .pinLastTries, .pinNotSet, .authenticatorLost, .prfUnsupported, .wrongKey,
      .dataInvalid, .io:
      true
    default: isBusy
    }
  }

  /// The error that a key answers for files of unknown origin which do not open.
  static let answeredForNothing = UserMessage(
    .wrongKey, "the security key answered, but no file here that names it opens the backup",
    hint: "use another enrolled key, or get an older version of the keys folder from your sync "
      + "provider\nthe file is damaged, or somebody put it there")

  /// The error that there are many false or damaged files.
  static func tooManyFiles(_ touches: Int, _ left: Int) -> UserMessage {
    UserMessage(
      .ambiguous,
      "\(touches) touches opened nothing, and \(counted(left, "file")) that "
        + (left == 1 ? "names" : "name") + " this key \(left == 1 ? "is" : "are") left",
      hint: "somebody may have put them into keybackup/keys: move away what you did not enrol; to "
        + "see the dates: keybackup key list\nor name the backup with --namespace ID, or run the "
        + "command on a terminal, where you can go on")
  }

  /// The error that the right key answers and its file does not open.
  static let damagedKeySlot = UserMessage(
    .dataInvalid, "the security key is the right one, but the file it opens is damaged",
    hint: "use another enrolled key, or get an older version of the keys folder from your sync "
      + "provider")
}

extension OpenAuthenticator {
  /// The result of silently querying the key.
  package enum HeldQuestion {
    /// It holds the credential of these questions, which differ in their salts.
    case some([UnlockQuestion])
    /// It does not tell without its PIN, or the files name no credential.
    case perhaps
    /// It holds none of them.
    case none
  }

  /// Asks the key, without PIN and touch, which credential it holds.
  package func holding(
    _ questions: [UnlockQuestion], mayBeHidden: Bool
  ) async throws(UserMessage) -> HeldQuestion {
    var undecided = false
    var parties: [String] = []
    for question in questions where !parties.contains(question.rpID) {
      parties.append(question.rpID)
    }
    for rpID in parties {
      let group = questions.filter { $0.rpID == rpID }
      var seen: Set<CredentialID> = []
      let ids = group.compactMap(\.credentialID).filter { seen.insert($0).inserted }
      undecided = undecided || group.contains { $0.credentialID == nil }
      guard !ids.isEmpty else { continue }
      // A key may hold both a credential and its replacement, but tells only one.
      let current = Set(group.filter { !$0.isReplaced }.compactMap(\.credentialID))
      let parts = [ids.filter(current.contains), ids.filter { !current.contains($0) }]
      for part in parts where !part.isEmpty {
        switch try await held(part, rpID: rpID, mayBeHidden: mayBeHidden) {
        case .yes(let found):
          let id =
            current.contains(found) ? try await surest(than: found, of: group, rpID: rpID) : found
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

  /// A credential on the key that this computer knows, if the key named one that is only a claim.
  ///
  /// If the key holds no known one, the named one.
  private func surest(
    than found: CredentialID, of group: [UnlockQuestion], rpID: String
  ) async throws(UserMessage) -> CredentialID {
    let known = group.filter { $0.isKnown && !$0.isReplaced }.compactMap(\.credentialID)
    guard !known.isEmpty, !known.contains(found),
      case .yes(let id) = try await held(known, rpID: rpID, mayBeHidden: false)
    else { return found }
    return id
  }

  private func held(
    _ ids: [CredentialID], rpID: String, mayBeHidden: Bool
  ) async throws(UserMessage) -> Holding {
    try await call { key throws(PRFDeviceError) in
      try await key.holds(ids, rpID: rpID, mayBeHidden: mayBeHidden)
    }
  }

  /// Evaluates the PRF under user verification, with a prompt for the touch.
  ///
  /// - Parameters:
  ///   - request: the evaluation.
  ///   - why: the purpose of the touch, when there is more than one.
  /// - Returns: one evaluation for each credential that answered.
  /// - Throws: the errors of the PIN, the touch and the device.
  package func evaluate(
    _ request: PRFRequest, why: String? = nil
  ) async throws(UserMessage) -> [PRFEvaluation] {
    try await verified { authenticator, pin throws(PRFDeviceError) in
      try await touched(why) { announce throws(PRFDeviceError) in
        try await authenticator.evaluate(request, pin: pin, announcingTouch: announce)
      }
    }
  }

  /// Evaluates the PRF for the only credential that answers.
  ///
  /// - Throws: `ambiguous` where several do, and the errors of ``evaluate(_:why:)``.
  package func onlyEvaluation(
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

  /// Evaluates the PRF for one input of one credential.
  package func onlyOutput(_ request: PRFRequest, why: String) async throws(UserMessage)
    -> SecretBytes
  {
    guard let evaluation = try await evaluate(request, why: why).first else {
      throw UserMessage(.prfNotDelivered, key: name)
    }
    return evaluation.first()
  }
}

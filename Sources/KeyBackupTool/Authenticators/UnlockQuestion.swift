internal import PRFDevice
internal import SecretMemory

/// One PRF evaluation that would open a backup, as its files describe it.
///
/// Two are equal that a security key answers alike.
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
  /// How sure it is that the answer opens something: the least comes first.
  var rank = 0
  /// Whether this computer knows that it did, or should.
  var isKnown = false

  static func == (one: Self, other: Self) -> Bool {
    one.rpID == other.rpID && one.credentialID == other.credentialID && one.salt == other.salt
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(rpID)
    hasher.combine(credentialID)
    hasher.combine(salt)
  }
}

/// The answer to a question.
struct UnlockAnswer: Sendable {
  var question: UnlockQuestion
  /// The PRF at the question's salt, and at another one.
  var evaluation: PRFEvaluation
  /// Whether the question's salt is the second one.
  var isSecond = false
  /// The key that answered.
  let key: OpenAuthenticator

  /// The PRF output for the question's salt, 32 bytes.
  func secret() -> SecretBytes {
    isSecond ? evaluation.second() ?? evaluation.first() : evaluation.first()
  }

  /// The PRF output for the other salt that was asked in the same touch.
  func other() -> SecretBytes? { isSecond ? evaluation.first() : evaluation.second() }
}

extension AuthenticatorFinder {
  /// Asks the security key that can answer, with one touch where the first
  /// answer serves.
  ///
  /// Where several hold a credential and the first is locked, broken or
  /// unplugged, the next one is asked. An answer that opens nothing is put aside,
  /// and what is left is looked for as if its file were not there.
  ///
  /// - Parameters:
  ///   - questions: what the backup's files offer, the surest first.
  ///   - wanted: what to call the key that is waited for.
  ///   - terms: what else is asked of the key.
  ///   - use: opens the backup with an answer; nil where that one does not.
  /// - Returns: what `use` returned.
  /// - Throws: `wrong-key` when no key in reach can answer, `ambiguous`,
  ///   `data-invalid` when the right key answers and no file opens.
  func ask<R: ~Copyable>(
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
  /// Those first that the surest files name, else in their order.
  fileprivate var sortedByRank: [AuthenticatorCandidate] {
    let ranks = map { $0.questions.map(\.rank).min() ?? 0 }
    return indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { self[$0] }
  }
}

extension AuthenticatorFinder {
  /// The one of several security keys that the person touches.
  private func chosen(
    among candidates: [AuthenticatorCandidate]
  ) async throws(UserMessage) -> AuthenticatorCandidate {
    guard prompter.canAsk else { throw Self.ambiguous(candidates.map(\.key.descriptor)) }
    let key = try await touched(candidates.map(\.key), "to use")
    return candidates.first { $0.key === key } ?? AuthenticatorCandidate(key: key, questions: [])
  }
}

extension UserMessage {
  /// No key in reach opens the folder, or does so by a key slot that will do.
  static func nothingOpens(_ count: Int, _ wanted: WantedAuthenticator = .any) -> UserMessage {
    let names = wanted.labels.prefix(5).map { "\"\($0)\"" }.joined(separator: " or ")
    let text =
      switch (wanted.purpose, count == 1) {
      case (.openingByCertainKeySlots, true): "this security key is not the one that is needed now"
      case (.openingByCertainKeySlots, false):
        "none of these security keys is the one that is needed now"
      case (.removing, true): "this security key is the one to be removed, or opens nothing here"
      case (.removing, false): "these security keys are to be removed, or open nothing here"
      case (_, true): "this security key opens nothing here"
      case (_, false): "none of these security keys opens anything here"
      }
    return UserMessage(
      .wrongKey, text,
      hint: "plug in \(names.isEmpty ? "a key that is enrolled" : names); to see the ways in: "
        + "keybackup key list")
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

  /// A key answers for files that nobody vouches for, and they do not open.
  static let answeredForNothing = UserMessage(
    .wrongKey, "the security key answered, but no file here that names it opens the backup",
    hint: "use another enrolled key, or get an older version of the keys folder from your sync "
      + "provider\nthe file is damaged, or somebody put it there")

  /// Somebody has put in many files, or many are damaged.
  static func tooManyFiles(_ touches: Int, _ left: Int) -> UserMessage {
    UserMessage(
      .ambiguous,
      "\(touches) touches opened nothing, and \(counted(left, "file")) that "
        + (left == 1 ? "names" : "name") + " this key \(left == 1 ? "is" : "are") left",
      hint: "somebody may have put them into keybackup/keys: move away what you did not enrol; to "
        + "see the dates: keybackup key list\nor name the backup with --namespace ID, or run the "
        + "command on a terminal, where you can go on")
  }

  /// The right key answers, and its file does not open.
  static let damagedKeySlot = UserMessage(
    .dataInvalid, "the security key is the right one, but the file it opens is damaged",
    hint: "use another enrolled key, or get an older version of the keys folder from your sync "
      + "provider")
}

extension OpenAuthenticator {
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
      // A key may hold a credential beside the one that takes its place, and
      // tells of one only.
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

  /// The credential that the key holds of those that this computer knows, where it has told of
  /// one that only a claim names; that one, where it holds none of them.
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
  ///   - request: what to evaluate.
  ///   - why: what the touch does, when there is more than one.
  /// - Returns: one evaluation for each credential that answered.
  /// - Throws: what the PIN, the touch and the device can refuse.
  func evaluate(
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

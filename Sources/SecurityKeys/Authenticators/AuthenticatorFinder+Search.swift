package import CommandKit
package import PRFDevice

/// A security key that can answer, or may be able to.
package struct AuthenticatorCandidate: Sendable {
  package let key: OpenAuthenticator
  /// The questions whose credential it holds; empty when it does not tell.
  package let questions: [UnlockQuestion]
}

extension AuthenticatorFinder {
  /// The security keys that can answer one of these questions.
  ///
  /// Every connected key is queried silently and at the same time. No key needs a PIN or a touch,
  /// and none waits for another that is busy, locked or broken. If none is suitable, it waits for
  /// another one as long as requested.
  ///
  /// - Parameters:
  ///   - questions: the questions for a key.
  ///   - mayBeHidden: whether the credentials may have credProtect's level 3.
  ///   - wanted: the names of the key to wait for.
  /// - Returns: the keys that hold a credential or, if there are none, those that do not tell; at
  ///   least one. The others are closed.
  /// - Throws: `wrong-key`, `no-authenticator`, and the reason why the only key could not be
  ///   queried.
  package func search(
    _ questions: [UnlockQuestion], mayBeHidden: Bool = false, for wanted: WantedAuthenticator = .any
  ) async throws(UserMessage) -> [AuthenticatorCandidate] {
    let deadline = time.now() + .seconds(patience)
    // Cards on readers are queried only when no plugged-in key is suitable. A key that may not be
    // opened is an error only when there is no card either.
    var found = (try? await connected(cards: false)) ?? []
    var hasSeenCards = false
    var survey = AuthenticatorSurvey(names)
    var hasToldBusy = false
    while true {
      survey.keep(found)
      survey.note(
        await looks(at: survey.unknown(among: found), questions, mayBeHidden: mayBeHidden))
      if Task.isCancelled { throw .interrupted }
      let candidates = survey.candidates(in: found)
      if !candidates.isEmpty {
        if found.count > 1 { tell(survey.failures(in: found)) }
        for candidate in candidates {
          candidate.key.label =
            candidate.questions.lazy.compactMap(\.credentialID)
            .compactMap { wanted.names[$0] }.first
        }
        return candidates
      }
      if !hasSeenCards {
        hasSeenCards = true
        do throws(UserMessage) {
          found = try await descriptors(for: wanted)
        } catch  where error.code == .noAuthenticator {
          throw survey.loss ?? error
        }
        continue
      }
      guard deadline > time.now() else { throw survey.reason(in: found, wanted) }
      if let busy = survey.busy(in: found) {
        if !hasToldBusy { tellBusy(busy) }
        hasToldBusy = true
        // No event reports the release of a lock, so look again.
        let soon = min(deadline, time.now() + .milliseconds(250))
        if let changed = try await change(from: found, until: soon) { found = changed }
      } else {
        tell(survey.failures(in: found))
        let seconds = Int((deadline - time.now()).components.seconds) + 1
        guard
          let changed = try await newcomers(
            to: found, unsuitable: survey.countOfUnsuitable(in: found), within: seconds, wanted)
        else {
          throw survey.reason(in: found, wanted)
        }
        found = changed
      }
    }
  }

  /// The result of querying each connected security key, in the system's order; the keys are closed
  /// again.
  ///
  /// - Throws: `no-authenticator`, `interrupted`.
  package func identify(
    _ questions: [UnlockQuestion], for wanted: WantedAuthenticator
  ) async throws(UserMessage) -> [(AuthenticatorDescriptor, AuthenticatorLook)] {
    let looks = await identify(try await descriptors(for: wanted), questions)
    if Task.isCancelled { throw .interrupted }
    return looks
  }

  /// The result of querying each of several security keys, in their order; the keys are closed
  /// again.
  package func identify(
    _ found: [AuthenticatorDescriptor], _ questions: [UnlockQuestion]
  ) async -> [(AuthenticatorDescriptor, AuthenticatorLook)] {
    let looks = await looks(at: found, questions, hurries: false)
    for look in looks.values {
      switch look {
      case .holds(let key, _), .perhaps(let key): await key.authenticator.close()
      case .holdsNone, .failed: break
      }
    }
    return found.compactMap { descriptor in looks[descriptor].map { (descriptor, $0) } }
  }

  /// The only candidate, or the one that the user touches.
  ///
  /// - Throws: `ambiguous` when several do not tell and nobody can choose.
  func theOne(of candidates: [AuthenticatorCandidate]) async throws(UserMessage)
    -> AuthenticatorCandidate
  {
    if candidates.count == 1 || !candidates[0].questions.isEmpty { return candidates[0] }
    guard prompter.canAsk else {
      throw Self.ambiguous(candidates.map(\.key.descriptor))
    }
    let key = try await touched(candidates.map(\.key), "to use")
    return AuthenticatorCandidate(key: key, questions: [])
  }

  private func tell(_ failures: [UserMessage]) {
    for failure in failures { output.note("keybackup: \(failure.message)") }
  }

  /// Queries all keys at the same time.
  ///
  /// If `hurries` is set, the query ends a second after a suitable key was found: a key that does
  /// not answer delays nobody.
  private func looks(
    at descriptors: [AuthenticatorDescriptor], _ questions: [UnlockQuestion],
    mayBeHidden: Bool = false, hurries: Bool = true
  ) async -> [AuthenticatorDescriptor: AuthenticatorLook] {
    guard !descriptors.isEmpty else { return [:] }
    let stream = AsyncStream<(AuthenticatorDescriptor, AuthenticatorLook)> { continuation in
      let tasks = descriptors.map { descriptor in
        Task {
          let look = await look(at: descriptor, questions, mayBeHidden: mayBeHidden)
          continuation.yield((descriptor, look))
          guard hurries, case .holds = look else { return }
          try? await time.sleep(.seconds(1))
          continuation.finish()
        }
      }
      continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    }
    var looks: [AuthenticatorDescriptor: AuthenticatorLook] = [:]
    for await (descriptor, look) in stream {
      looks[descriptor] = look
      if looks.count == descriptors.count { break }
    }
    return looks
  }

  private func look(
    at descriptor: AuthenticatorDescriptor, _ questions: [UnlockQuestion], mayBeHidden: Bool
  ) async -> AuthenticatorLook {
    do throws(UserMessage) {
      let key = try await open(descriptor)
      switch try await key.holding(questions, mayBeHidden: mayBeHidden) {
      case .some(let held): return .holds(key, held)
      case .perhaps: return .perhaps(key)
      case .none:
        await key.authenticator.close()
        return .holdsNone
      }
    } catch {
      return .failed(error)
    }
  }
}

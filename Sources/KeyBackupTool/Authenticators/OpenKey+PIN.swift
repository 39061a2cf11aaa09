internal import PRFDevice
internal import SecretMemory
internal import Synchronization

/// Getting the PIN, and the care that no try is wasted.
extension OpenKey {
  /// Runs an operation that needs the PIN itself; see ``verified(_:)``.
  func withPIN<R: Sendable>(
    _ body: (Authenticator, PIN) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    if let pin = accepted.withLock({ $0 }) {
      return try await call { key throws(PRFDeviceError) in try await body(key, pin) }
    }
    let source = finder.pins.source
    var refused = SecretBytes(zeroed: 0)
    var reason = PINRequest.Reason.first
    while true {
      let retries = try await call { key throws(PRFDeviceError) in try await key.pinRetries() }
      try check(retries)
      let typed = try readPIN(from: source, retries: retries, reason)
      if refused.count > 0, typed.count == refused.count, typed.isEqual(to: refused) {
        finder.prompter.tell("That PIN was just refused; it was not sent again.")
        reason = .same
        continue
      }
      do throws(PRFDeviceError) {
        let pin = try PIN(typed)
        do throws(PRFDeviceError) {
          let result = try await body(authenticator, pin)
          accepted.withLock { $0 = pin }
          return result
        } catch .noCredentials {
          // The key looks for a credential once the PIN was right: the next
          // question need not ask for it again.
          accepted.withLock { $0 = pin }
          throw .noCredentials
        } catch {
          throw error
        }
      } catch .pinInvalid(let left) where source == nil {
        finder.prompter.tell("Wrong PIN.")
        if let left { try check(left) }
        refused = typed.copy()
        reason = .wrong
      } catch .pinPolicyViolation(let rule) where source == nil {
        finder.prompter.tell(UserMessage(PRFDeviceError.pinPolicyViolation(rule)).message + ".")
        reason = .policy
      } catch {
        throw UserMessage(error, key: name)
      }
    }
  }

  private func check(_ retries: Int) throws(UserMessage) {
    if retries == 0 { throw UserMessage(.pinBlocked, key: name) }
    if retries <= 2, !finder.pins.allowsLastTries {
      throw UserMessage(
        .pinLastTries, "only \(UserMessage.tries(retries)) left for the PIN of \(name)",
        hint: "a wrong one could block the key for good; if you are sure of the PIN, "
          + "add --allow-last-tries")
    }
  }

  private func readPIN(
    from source: PINSource?, retries: Int, _ reason: PINRequest.Reason
  ) throws(UserMessage) -> SecretBytes {
    finder.prompter.events.send(
      .pin(
        PINRequest(
          key: shown, retries: retries, minimumLength: PIN.minimumCodePoints, reason: reason,
          source: source?.word ?? "terminal")))
    if let source { return try source.read() }
    let prompt = "PIN for \(name) (\(UserMessage.tries(retries)) left): "
    guard let typed = try finder.prompter.secret(prompt, limit: PIN.maximumTypedBytes) else {
      throw UserMessage(.pinRequired, key: name)
    }
    return typed
  }
}

package import CommandKit
package import PRFDevice
internal import SecretMemory
internal import Synchronization

/// Obtains the PIN and avoids wasting a try.
extension OpenAuthenticator {
  /// Runs an operation that needs the PIN itself; see ``verified(_:)``.
  ///
  /// - Parameters:
  ///   - changesPIN: whether the operation is the one that a key allows even when its PIN must be
  ///     changed.
  ///   - body: the operation; runs once for each PIN that is sent.
  /// - Returns: the result of `body`.
  /// - Throws: `pin-invalid`, `pin-blocked`, `pin-last-tries`, the errors of obtaining the PIN, and
  ///   those of `body`.
  package func withPIN<R: Sendable>(
    changesPIN: Bool = false,
    _ body: (Authenticator, PIN) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    if let pin = accepted.withLock({ $0 }) {
      return try await call { key throws(PRFDeviceError) in try await body(key, pin) }
    }
    var conversation = PINConversation(self)
    // The user's time is worth one more command.
    let isPerson = finder.pins.source == nil && finder.asker != .nobody
    let info =
      isPerson
      ? try await repeatable { key throws(PRFDeviceError) in try await key.info() }
      : await authenticator.infoIfKnown
    if let info {
      if info.needsPINChange, !changesPIN { throw UserMessage(.pinChangeRequired, key: name) }
      if !info.needsPINChange { conversation.minimumLength = info.minimumPINLength }
    }
    try await rememberModel()
    while true {
      let retries = try await repeatable { key throws(PRFDeviceError) in
        try await key.pinRetries()
      }
      try check(retries)
      let pin = try conversation.next(retries: retries)
      try await requireOnReader()
      do throws(PRFDeviceError) {
        let result = try await body(authenticator, pin)
        accepted.withLock { $0 = pin }
        return result
      } catch .pinInvalid(let left) {
        finder.refusedPINs.insert(pin, at: descriptor.path)
        if let source = finder.pins.source {
          let refused = UserMessage(.pinInvalid(retriesLeft: left), key: name)
          throw source.advice.map(refused.adding) ?? refused
        }
        conversation.complain("Wrong PIN.", .wrong)
        if let left { try check(left, after: "Wrong PIN. ") }
      } catch .noCredentials {
        // The key looks for a credential only after a correct PIN, so the next question need not
        // ask for it again.
        accepted.withLock { $0 = pin }
        throw UserMessage(.noCredentials, key: name)
      } catch {
        throw message(error)
      }
    }
  }

  /// Throws if the key accepts no PIN any more, before anybody is asked for one.
  ///
  /// - Throws: `pin-blocked`, and the errors of the device.
  func requireTriesLeft() async throws(UserMessage) {
    let retries = try await repeatable { key throws(PRFDeviceError) in try await key.pinRetries() }
    if retries == 0 { throw UserMessage(.pinBlocked, key: name) }
  }

  private func check(_ retries: Int, after what: String = "") throws(UserMessage) {
    if retries == 0 { throw UserMessage(.pinBlocked, key: name) }
    if retries <= 2, !finder.pins.allowsLastTries {
      throw UserMessage(
        .pinLastTries, what + "only \(UserMessage.tries(retries)) left for the PIN of \(name)",
        hint: "at 0 the key locks for good; if you are sure of the PIN, add --allow-last-tries")
    }
  }
}

package import CommandKit
package import PRFDevice
internal import Synchronization

/// Performs user verification: a fingerprint if the key reads one, otherwise the PIN.
extension OpenAuthenticator {
  /// Offers to set the PIN of a key that cannot verify its user yet, if the user can be asked.
  ///
  /// The new PIN need not be typed again.
  ///
  /// - Throws: `pin-not-set` when the key stays without one.
  package func offerPIN() async throws(UserMessage) {
    let info = try await repeatable { key throws(PRFDeviceError) in try await key.info() }
    guard info.supportsPRF, info.supportsPIN, !info.isPINSet, !info.hasBuiltInUserVerification,
      finder.pins.source == nil, finder.prompter.canAsk
    else { return }
    let question =
      "\(name) has no PIN. Without one, anyone who finds the key can open the backup. Set one now?"
    guard try finder.prompter.confirm(question) else { throw UserMessage(.pinNotSet, key: name) }
    while true {
      let pin = try NewPINOptions.ask(for: self, minimum: info.minimumPINLength)
      do throws(PRFDeviceError) {
        try await authenticator.setPIN(pin)
        accepted.withLock { $0 = pin }
        finder.prompter.tell(
          "The PIN of \(name) is set. It guards the whole key. "
            + "Eight wrong tries lock it for good."
        )
        return
      } catch .pinPolicyViolation(let rule) {
        finder.prompter.tell(UserMessage(PRFDeviceError.pinPolicyViolation(rule)).sentence)
      } catch {
        throw message(error)
      }
    }
  }

  /// Throws if the key cannot evaluate the PRF or verify its user.
  ///
  /// It takes a command, so it is not called if a pre-flight has shown that the key holds a
  /// credential created for the PRF.
  ///
  /// - Throws: `prf-unsupported`, `pin-not-set`.
  package func requirePRF() async throws(UserMessage) {
    let info = try await repeatable { key throws(PRFDeviceError) in try await key.info() }
    guard info.supportsPRF else { throw UserMessage(.prfUnsupported, key: name) }
    guard info.isPINSet || info.hasBuiltInUserVerification else {
      throw UserMessage(.pinNotSet, key: name)
    }
  }

  /// Runs an operation under user verification.
  ///
  /// It uses a fingerprint on a key that is set up to read it. It uses the PIN if the key has no
  /// reader or the fingerprint did not help. A PIN from a descriptor or file is tried once. The
  /// user may type another one; the same one is never sent twice.
  ///
  /// - Parameter body: the operation; may run several times.
  /// - Returns: the result of `body`.
  /// - Throws: `pin-not-set`, `pin-last-tries`, `pin-invalid`, `pin-blocked`, and the errors of
  ///   `body`.
  package func verified<R: Sendable>(
    _ body: (Authenticator, PIN?) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    let verification = try await call { key throws(PRFDeviceError) in
      try await key.userVerification()
    }
    if verification.isBuiltIn {
      let result = try await withFingerprint(isPINSet: verification.isPINSet, body)
      if let result { return result }
    }
    guard verification.isPINSet else { throw UserMessage(.pinNotSet, key: name) }
    return try await withPIN(body)
  }

  /// Runs an operation under the key's own verification.
  ///
  /// A finger that was not recognised may be tried again. The key itself counts the tries and
  /// blocks its reader after a few.
  ///
  /// - Returns: the result of `body`; nil when the PIN is needed instead.
  private func withFingerprint<R: Sendable>(
    isPINSet: Bool, _ body: (Authenticator, PIN?) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R? {
    for _ in 0..<Self.maximumFingerprintReadings {
      do throws(PRFDeviceError) {
        return try await body(authenticator, nil)
      } catch .uvInvalid {
        finder.prompter.tell("The fingerprint was not recognised.")
      } catch .uvBlocked where isPINSet {
        finder.prompter.tell("The fingerprint reader is blocked. Enter the PIN to unblock it.")
        return nil
      } catch .pinRequired where isPINSet {
        // The key requires its PIN for this operation all the same.
        return nil
      } catch .authenticator where isPINSet {
        // The key lacks an ability that it states.
        return nil
      } catch {
        throw message(error)
      }
    }
    if isPINSet { return nil }
    throw UserMessage(.uvInvalid, key: name)
  }

  /// No key allows more finger tries in a row (CTAP 2.1, section 6.5.3.2: the key blocks its reader
  /// after a number of its choice).
  private static let maximumFingerprintReadings = 5
}

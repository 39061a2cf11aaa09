internal import PRFDevice
internal import SecretMemory
internal import Synchronization

/// An opened security key with a person before it: knows what to call it and
/// how to get its PIN, which is asked for once and kept until the command ends.
final class OpenKey: Sendable {
  let authenticator: Authenticator
  let descriptor: AuthenticatorDescriptor
  let finder: KeyFinder
  /// The PIN that the key has accepted.
  private let accepted = Mutex<PIN?>(nil)

  init(
    authenticator: Authenticator, descriptor: AuthenticatorDescriptor, finder: KeyFinder
  ) {
    self.authenticator = authenticator
    self.descriptor = descriptor
    self.finder = finder
  }

  /// What the key is called on screen.
  var name: String { Self.name(of: descriptor) }

  /// The product's name, cleaned of whatever a device might send.
  static func name(of descriptor: AuthenticatorDescriptor) -> String {
    let name = PrintableText.clean(descriptor.product)
    return name.isEmpty || name == "( )" ? "security key" : name
  }

  /// Runs one call to the device and turns its error into words.
  func call<R: Sendable>(
    _ body: (Authenticator) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    do throws(PRFDeviceError) {
      return try await body(authenticator)
    } catch {
      throw UserMessage(error, key: name)
    }
  }

  /// Tells the person to touch the key; call just before the call that waits.
  ///
  /// - Parameter why: what the touch does, when there is more than one.
  func promptForTouch(_ why: String? = nil) {
    finder.prompter.tell("Touch \(name) now" + (why.map { " (\($0))" } ?? "") + ".")
  }

  /// Refuses a key that cannot evaluate the PRF or verify its user.
  ///
  /// Costs a command: not called where a pre-flight has shown that the key
  /// holds a credential made for the PRF.
  ///
  /// - Throws: `prf-unsupported`, `pin-not-set`.
  func requirePRF() async throws(UserMessage) {
    let info = try await call { key throws(PRFDeviceError) in try await key.info() }
    guard info.supportsPRF else { throw UserMessage(.prfUnsupported, key: name) }
    guard info.isPINSet || info.hasBuiltInUserVerification else {
      throw UserMessage(.pinNotSet, key: name)
    }
  }

  /// Runs an operation under user verification: with the PIN, or, on a key
  /// with a fingerprint reader and no PIN at hand, without.
  ///
  /// A PIN from a descriptor or file is tried once. A person may type another
  /// one; the same one is never sent twice.
  ///
  /// - Parameter body: the operation; may run several times.
  /// - Returns: what `body` returns.
  /// - Throws: `pin-not-set`, `pin-last-tries`, `pin-invalid`, `pin-blocked`,
  ///   and what `body` throws.
  func verified<R: Sendable>(
    _ body: (Authenticator, PIN?) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    let verification = try await call { key throws(PRFDeviceError) in
      try await key.userVerification()
    }
    if verification.isBuiltIn, finder.pins.source == nil {
      do throws(PRFDeviceError) {
        return try await body(authenticator, nil)
      } catch .uvBlocked where verification.isPINSet {
        finder.prompter.tell("The fingerprint reader is blocked; the PIN is needed.")
      } catch .pinRequired where verification.isPINSet {
        // The key wants its PIN for this operation all the same.
      } catch {
        throw UserMessage(error, key: name)
      }
    }
    guard verification.isPINSet else { throw UserMessage(.pinNotSet, key: name) }
    return try await withPIN(body)
  }

  /// Runs an operation that needs the PIN itself; see ``verified(_:)``.
  func withPIN<R: Sendable>(
    _ body: (Authenticator, PIN) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    if let pin = accepted.withLock({ $0 }) {
      return try await call { key throws(PRFDeviceError) in try await body(key, pin) }
    }
    let source = finder.pins.source
    var refused = SecretBytes(zeroed: 0)
    while true {
      let retries = try await call { key throws(PRFDeviceError) in try await key.pinRetries() }
      try check(retries)
      let typed = try readPIN(from: source, retries: retries)
      if refused.count > 0, typed.count == refused.count, typed.isEqual(to: refused) {
        finder.prompter.tell("That PIN was just refused; it was not sent again.")
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
      } catch .pinPolicyViolation(let rule) where source == nil {
        finder.prompter.tell(UserMessage(PRFDeviceError.pinPolicyViolation(rule)).message + ".")
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
    from source: PINSource?, retries: Int
  ) throws(UserMessage) -> SecretBytes {
    if let source { return try source.read() }
    let prompt = "PIN for \(name) (\(UserMessage.tries(retries)) left): "
    guard let typed = try finder.prompter.secret(prompt, limit: PIN.maximumTypedBytes) else {
      throw UserMessage(.pinRequired, key: name)
    }
    return typed
  }
}

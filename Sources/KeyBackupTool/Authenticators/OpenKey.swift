internal import PRFDevice
internal import Synchronization

/// An opened security key with a person before it: knows what to call it and
/// how to get its PIN, which is asked for once and kept until the command ends.
final class OpenKey: Sendable {
  let authenticator: Authenticator
  let descriptor: AuthenticatorDescriptor
  let finder: KeyFinder
  /// The PIN that the key has accepted.
  let accepted = Mutex<PIN?>(nil)

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

  /// The key as people and calling programs are told about it.
  var shown: ShownKey {
    ShownKey(name: name, path: descriptor.path, transport: descriptor.transport.rawValue)
  }

  /// Asks for the key's touch while `body` runs the call that needs it.
  ///
  /// - Parameters:
  ///   - why: what the touch does, when there is more than one.
  ///   - body: the call.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  func touched<R: Sendable>(
    _ why: String? = nil, _ body: () async throws(PRFDeviceError) -> R
  ) async throws(PRFDeviceError) -> R {
    try await finder.prompter.touch(
      shown, why: why, seconds: finder.options.timeout, while: body)
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
}

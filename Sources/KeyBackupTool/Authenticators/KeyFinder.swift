internal import PRFDevice

/// Finds security keys and opens the one that is meant.
///
/// Where a choice would be a guess, it asks the person to name one instead.
struct KeyFinder: Sendable {
  let options: DeviceOptions
  let pins: PINPolicy
  let output: Output
  let prompter: Prompter

  init(_ common: CommonOptions, _ options: DeviceOptions, _ pins: PINPolicy) {
    self.options = options
    self.pins = pins
    output = common.output
    prompter = common.prompter
  }

  /// Every security key in reach, after waiting for one as long as asked.
  ///
  /// - Parameter seconds: how long to wait; nil: as the options say, else 30
  ///   seconds where a person is at a terminal.
  /// - Returns: at least one.
  /// - Throws: `no-authenticator`, `permission-denied`, `interrupted`.
  func descriptors(
    waiting seconds: Int? = nil
  ) async throws(UserMessage) -> [AuthenticatorDescriptor] {
    do throws(PRFDeviceError) {
      let found = try await now()
      if !found.isEmpty { return found }
      let seconds = seconds ?? options.wait ?? (prompter.canAsk ? 30 : 0)
      guard seconds > 0 else { throw .noAuthenticator }
      return try await prompter.insert(Event.Insert(path: options.device, seconds: seconds)) {
        () throws(PRFDeviceError) in
        try await AuthenticatorList.wait(upTo: .seconds(seconds)) { connected in
          options.device.map { path in connected.contains { $0.path == path } }
            ?? !connected.isEmpty
        }.filter { options.device == nil || $0.path == options.device }
      }
    } catch {
      if error == .noAuthenticator, let path = options.device {
        throw UserMessage(
          .noAuthenticator, "no security key found at \(path)",
          hint: "keybackup devices lists those in reach")
      }
      throw UserMessage(error)
    }
  }

  /// The only security key in reach, opened; for work where any other key
  /// would do as well, so that several cannot be told apart.
  ///
  /// - Throws: `ambiguous` when there are several, and what opening throws.
  func onlyKey() async throws(UserMessage) -> OpenKey {
    let found = try await descriptors()
    guard let only = found.first, found.count == 1 else {
      throw UserMessage(
        .ambiguous, "\(found.count) security keys are plugged in",
        hint: "leave one, or name it with --device: "
          + found.map { "\($0.path) (\(OpenKey.name(of: $0)))" }.joined(separator: ", "))
    }
    return try await open(only)
  }

  /// The security key that holds one of these credentials, opened.
  ///
  /// - Parameters:
  ///   - ids: the credentials; none: the only key in reach.
  ///   - rpID: their relying party.
  /// - Returns: the key, and the credential it holds when it tells.
  /// - Throws: `wrong-key`, `ambiguous`, and what opening throws.
  func key(
    holding ids: [CredentialID], rpID: String
  ) async throws(UserMessage) -> (OpenKey, CredentialID?) {
    guard !ids.isEmpty else { return (try await onlyKey(), nil) }
    let questions = ids.map { UnlockQuestion(rpID: rpID, credentialID: $0, salt: []) }
    // Other software's credential may be hidden from a silent look. Only a key
    // that the person named is given its PIN to find out: it costs a try where
    // it is another key's.
    let (key, held) = try await holder(of: questions, mayBeHidden: options.device != nil)
    return (key, held.first?.credentialID)
  }

  /// Opens one security key.
  ///
  /// - Throws: `busy`, `permission-denied`, `authenticator-lost`, …
  func open(_ descriptor: AuthenticatorDescriptor) async throws(UserMessage) -> OpenKey {
    var settings = Authenticator.Options()
    settings.touchTimeout = .seconds(options.timeout)
    settings.traces = options.trace
    settings.readsPINRetries = false  // OpenKey reads them before it asks for the PIN.
    do throws(PRFDeviceError) {
      return OpenKey(
        authenticator: try await Authenticator.open(descriptor, options: settings),
        descriptor: descriptor, finder: self)
    } catch {
      throw UserMessage(error, key: OpenKey.name(of: descriptor))
    }
  }

  private func now() async throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    do throws(PRFDeviceError) {
      if let path = options.device { return [try await AuthenticatorList.authenticator(at: path)] }
      return try await AuthenticatorList.connected()
    } catch .noAuthenticator {
      return []
    }
  }
}

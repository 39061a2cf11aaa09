// This folder is for finding, selecting and opening an authenticator together with the user: PIN,
// touch, evaluation. Later rooms ask questions (UnlockQuestion) and receive answers. Which file of
// a backup an answer opens is not known here.

package import CommandKit
package import PRFDevice

/// Finds security keys and opens the intended one.
///
/// Where a choice would be a guess, it asks the user for a touch, or to name one.
package struct AuthenticatorFinder: Sendable {
  package let options: DeviceOptions
  package let pins: PINPolicy
  package let output: Output
  package let prompter: Prompter
  /// The security keys in reach.
  package let devices: Devices
  package let time: PassingTime
  /// The means of asking for a PIN that was not given.
  package let asker: PINAsker
  /// The PINs that are not sent to any key twice.
  let refusedPINs = RefusedPINs()
  /// The names of the connected keys.
  package let names = KeyNames()

  /// The settings in keybackup.conf.
  private let settings: SettingsFile

  /// Takes what the options say, else this computer's settings.
  ///
  /// - Throws: `config` when these cannot be used.
  package init(
    _ common: CommonOptions, _ options: DeviceOptions, _ pins: PINOptions, _ world: World,
    for use: PINPolicy.Use = .firstKey
  ) throws(UserMessage) {
    let settings = try SettingsFile.load(world)
    self.init(common, options, try pins.policy(world, settings, for: use), settings, world)
  }

  package init(
    _ common: CommonOptions, _ options: DeviceOptions, _ pins: PINPolicy,
    _ settings: SettingsFile, _ world: World
  ) {
    self.options = options
    self.pins = pins
    self.settings = settings
    output = common.output(world)
    prompter = common.prompter(world)
    devices = world.devices
    time = world.time
    asker = pins.programs.asker(prompter)
  }

  /// How long to wait for a security key, or for one that is busy, in seconds.
  package var patience: Int {
    options.wait ?? settings.seconds(.wait) ?? (prompter.canAsk ? 30 : 0)
  }

  /// How long to wait for a touch, in seconds.
  var touchPatience: Int {
    options.timeout ?? settings.seconds(.timeout) ?? DeviceOptions.standardTimeout
  }

  /// Every connected security key; waits for one as long as requested.
  ///
  /// - Parameters:
  ///   - seconds: how long to wait; nil to wait as the options say, or otherwise 30 seconds if a
  ///     user is at a terminal.
  ///   - wanted: the request to show while waiting.
  /// - Returns: at least one key.
  /// - Throws: `no-authenticator`, `permission-denied`, `interrupted`.
  package func descriptors(
    waiting seconds: Int? = nil, for wanted: WantedAuthenticator = .any
  ) async throws(UserMessage) -> [AuthenticatorDescriptor] {
    let found = try await connected()
    if !found.isEmpty { return found }
    let seconds = seconds ?? patience
    guard seconds > 0, let came = try await newcomers(to: [], within: seconds, wanted) else {
      throw await nothingInReach()
    }
    return came
  }

  /// Opens one security key for work that any key could do.
  ///
  /// It is the only connected one, or the one that the user touches.
  ///
  /// - Parameter purpose: the purpose of the choice, such as "to enrol".
  /// - Returns: the key.
  /// - Throws: `ambiguous` when there are several and nobody to choose, and the errors of opening.
  package func chosenKey(_ purpose: String) async throws(UserMessage) -> OpenAuthenticator {
    let found = try await descriptors()
    if let only = found.first, found.count == 1 { return try await openInTurn(only) }
    guard prompter.canAsk else { throw Self.ambiguous(found) }
    return try await chooseByTouch(found, purpose)
  }

  /// Opens the security key that holds one of these credentials.
  ///
  /// - Parameters:
  ///   - ids: the credentials; if empty, any one key, see ``chosenKey(_:)``.
  ///   - rpID: their relying party.
  /// - Returns: the key, and the credential it holds if it tells.
  /// - Throws: `wrong-key`, `ambiguous`, and the errors of opening.
  package func key(
    holding ids: [CredentialID], rpID: String
  ) async throws(UserMessage) -> (OpenAuthenticator, CredentialID?) {
    guard !ids.isEmpty else { return (try await chosenKey("to use"), nil) }
    let questions = ids.map { UnlockQuestion(rpID: rpID, credentialID: $0, salt: []) }
    // A credential of other software may be hidden from a silent query. Only a key that the user
    // named receives its PIN to find out: on another key that would use up a try.
    let candidates = try await search(questions, mayBeHidden: options.device != nil)
    let candidate = try await theOne(of: candidates)
    for other in candidates where other.key !== candidate.key {
      await other.key.authenticator.close()
    }
    return (candidate.key, candidate.questions.first?.credentialID)
  }

  /// Opens one security key.
  ///
  /// - Throws: `busy`, `permission-denied`, `authenticator-lost`, …
  package func open(_ descriptor: AuthenticatorDescriptor) async throws(UserMessage)
    -> OpenAuthenticator
  {
    var settings = Authenticator.Options()
    settings.touchTimeout = .seconds(touchPatience)
    settings.traces = options.trace
    settings.readsPINRetries = false  // OpenAuthenticator reads them before it asks for the PIN.
    do throws(PRFDeviceError) {
      return OpenAuthenticator(
        authenticator: try await devices.open(descriptor, settings),
        descriptor: descriptor, finder: self)
    } catch {
      throw UserMessage(
        error, key: names.name(of: descriptor), onReader: descriptor.isOnReader)
    }
  }

  /// Opens one security key; waits while another program uses it, or until it is back on its
  /// reader.
  ///
  /// The wait is as long as the wait for a key.
  private func openInTurn(_ descriptor: AuthenticatorDescriptor) async throws(UserMessage)
    -> OpenAuthenticator
  {
    let deadline = time.now() + .seconds(patience)
    var hasTold = false
    while true {
      do throws(UserMessage) {
        return try await open(descriptor)
      } catch  where error.isBusy && deadline > time.now() {
        if !hasTold { tellBusy(error) }
        hasTold = true
        try await pause(.milliseconds(250))
      } catch
        where error.code == .authenticatorLost && descriptor.isOnReader
        && deadline > time.now()
      {
        if !hasTold { askToPutBack(names.name(of: descriptor)) }
        hasTold = true
        guard try await isBack(descriptor, by: deadline) else { throw error }
      }
    }
  }

  func tellBusy(_ error: UserMessage) {
    prompter.tell("Waiting: \(error.message).")
  }

  package func pause(_ duration: Duration) async throws(UserMessage) {
    do { try await time.sleep(duration) } catch { throw .interrupted }
  }

  // MARK: What is in reach

  /// The connected security keys; with `--device`, that one or none.
  ///
  /// - Parameter cards: whether keys on readers are included, when no key was named.
  /// - Returns: an empty list when there is none.
  /// - Throws: `permission-denied`.
  func connected(cards: Bool = true) async throws(UserMessage) -> [AuthenticatorDescriptor] {
    do throws(PRFDeviceError) {
      if let path = options.device { return [try await devices.at(path)] }
      let found =
        cards ? try await devices.connected() : try devices.pluggedIn()
      names.note(found, cards: cards)
      return found
    } catch .noAuthenticator {
      return []
    } catch {
      throw UserMessage(error)
    }
  }

  /// Asks for another security key to be plugged in, and waits for it.
  ///
  /// - Parameters:
  ///   - known: the connected keys that are not suitable.
  ///   - unsuitable: how many of them hold nothing usable; nil for all.
  ///   - seconds: how long to wait.
  ///   - wanted: the request to show.
  /// - Returns: every key then connected; nil after the time.
  /// - Throws: `permission-denied`, `interrupted`.
  func newcomers(
    to known: [AuthenticatorDescriptor], unsuitable: Int? = nil, within seconds: Int,
    _ wanted: WantedAuthenticator
  ) async throws(UserMessage) -> [AuthenticatorDescriptor]? {
    let insert = Event.Insert(
      accepting: wanted.labels, otherKeySlots: wanted.otherKeySlots,
      otherOptions: wanted.otherOptions, path: options.device, seconds: seconds,
      unsuitable: unsuitable ?? known.count, purpose: wanted.purpose)
    return try await prompter.insert(insert) { () async throws(UserMessage) in
      try await change(from: known, until: time.now() + .seconds(seconds))
    }
  }

  /// Waits until a security key is connected that was not before.
  ///
  /// - Parameters:
  ///   - known: the keys that do not count; a key that is unplugged and plugged in again does.
  ///   - deadline: when to give up.
  /// - Returns: every key then connected; nil after the time.
  /// - Throws: `permission-denied`, `interrupted`.
  package func change(
    from known: [AuthenticatorDescriptor], until deadline: Duration
  ) async throws(UserMessage) -> [AuthenticatorDescriptor]? {
    let news = NewcomerCheck(known: Set(known), path: options.device)
    do throws(PRFDeviceError) {
      let found = try await devices.wait(max(.zero, deadline - time.now())) {
        news.isAny(in: $0)
      }.filter { options.device == nil || $0.path == options.device }
      names.note(found)
      return found
    } catch .noAuthenticator {
      return nil
    } catch {
      throw UserMessage(error)
    }
  }

  /// The error that there is no key, with the state of the readers.
  private func nothingInReach() async -> UserMessage {
    guard let path = options.device else {
      return .noAuthenticator(await devices.readers())
    }
    return UserMessage(
      .noAuthenticator, "no security key found at \(path)",
      hint: "to see those in reach: keybackup devices")
  }

  package static func ambiguous(_ found: [AuthenticatorDescriptor]) -> UserMessage {
    UserMessage(
      .ambiguous, "\(found.count) security keys are in reach",
      hint: "unplug all but one, or name one with --device: "
        + found.map { "\($0.path) (\(OpenAuthenticator.name(of: $0)))" }.joined(separator: ", "))
  }
}

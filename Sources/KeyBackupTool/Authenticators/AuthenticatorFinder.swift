// This folder is for finding, choosing and opening an authenticator, with a person before
// it; PIN, touch, evaluation. Later rooms ask questions (UnlockQuestion) and get answers.
// Which file of a backup an answer opens is not known here.

internal import PRFDevice

/// Finds security keys and opens the one that is meant.
///
/// Where a choice would be a guess, it asks the person: by a touch, or by
/// naming one.
struct AuthenticatorFinder: Sendable {
  let options: DeviceOptions
  let pins: PINPolicy
  let output: Output
  let prompter: Prompter
  /// Who is asked for a PIN that is not given.
  let asker: PINAsker
  /// What no key is sent twice.
  let refusedPINs = RefusedPINs()
  /// What the keys in reach are called.
  let names = KeyNames()

  /// What keybackup.conf says.
  private let settings: SettingsFile

  /// Takes what the options say, else this computer's settings.
  ///
  /// - Throws: `config` when these cannot be used.
  init(
    _ common: CommonOptions, _ options: DeviceOptions, _ pins: PINOptions, _ world: World,
    for use: PINPolicy.Use = .firstKey
  ) throws(UserMessage) {
    let settings = try SettingsFile.load(world)
    self.init(common, options, try pins.policy(world, settings, for: use), settings)
  }

  init(
    _ common: CommonOptions, _ options: DeviceOptions, _ pins: PINPolicy,
    _ settings: SettingsFile = SettingsFile(path: nil)
  ) {
    self.options = options
    self.pins = pins
    self.settings = settings
    output = common.output
    prompter = common.prompter
    asker = pins.programs.asker(prompter)
  }

  /// How long to wait for a security key, or for one that is busy, in seconds.
  var patience: Int { options.wait ?? settings.seconds(.wait) ?? (prompter.canAsk ? 30 : 0) }

  /// How long to wait for a touch, in seconds.
  var touchPatience: Int {
    options.timeout ?? settings.seconds(.timeout) ?? DeviceOptions.standardTimeout
  }

  /// Every security key in reach, after waiting for one as long as asked.
  ///
  /// - Parameters:
  ///   - seconds: how long to wait; nil: as the options say, else 30 seconds
  ///     where a person is at a terminal.
  ///   - wanted: what to ask for while waiting.
  /// - Returns: at least one.
  /// - Throws: `no-authenticator`, `permission-denied`, `interrupted`.
  func descriptors(
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

  /// One security key, opened, for work that any key could be meant for.
  ///
  /// The only one in reach; of several the one that the person touches.
  ///
  /// - Parameter purpose: what the key is chosen for, such as "to enrol".
  /// - Returns: the key.
  /// - Throws: `ambiguous` when there are several and nobody to choose, and
  ///   what opening throws.
  func chosenKey(_ purpose: String) async throws(UserMessage) -> OpenAuthenticator {
    let found = try await descriptors()
    if let only = found.first, found.count == 1 { return try await openInTurn(only) }
    guard prompter.canAsk else { throw Self.ambiguous(found) }
    return try await chooseByTouch(found, purpose)
  }

  /// The security key that holds one of these credentials, opened.
  ///
  /// - Parameters:
  ///   - ids: the credentials; none: one key, see ``chosenKey(_:)``.
  ///   - rpID: their relying party.
  /// - Returns: the key, and the credential it holds when it tells.
  /// - Throws: `wrong-key`, `ambiguous`, and what opening throws.
  func key(
    holding ids: [CredentialID], rpID: String
  ) async throws(UserMessage) -> (OpenAuthenticator, CredentialID?) {
    guard !ids.isEmpty else { return (try await chosenKey("to use"), nil) }
    let questions = ids.map { UnlockQuestion(rpID: rpID, credentialID: $0, salt: []) }
    // Other software's credential may be hidden from a silent look. Only a key
    // that the person named is given its PIN to find out: it costs a try where
    // it is another key's.
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
  func open(_ descriptor: AuthenticatorDescriptor) async throws(UserMessage) -> OpenAuthenticator {
    var settings = Authenticator.Options()
    settings.touchTimeout = .seconds(touchPatience)
    settings.traces = options.trace
    settings.readsPINRetries = false  // OpenAuthenticator reads them before it asks for the PIN.
    do throws(PRFDeviceError) {
      return OpenAuthenticator(
        authenticator: try await Authenticator.open(descriptor, options: settings),
        descriptor: descriptor, finder: self)
    } catch {
      throw UserMessage(
        error, key: names.name(of: descriptor), onReader: descriptor.isOnReader)
    }
  }

  /// Opens one security key, waiting while another program uses it, or until it
  /// lies on its reader again, as long as one would wait for a key.
  private func openInTurn(_ descriptor: AuthenticatorDescriptor) async throws(UserMessage)
    -> OpenAuthenticator
  {
    let deadline = ContinuousClock.now + .seconds(patience)
    var hasTold = false
    while true {
      do throws(UserMessage) {
        return try await open(descriptor)
      } catch  where error.isBusy && deadline > .now {
        if !hasTold { tellBusy(error) }
        hasTold = true
        try await pause(.milliseconds(250))
      } catch  where error.code == .authenticatorLost && descriptor.isOnReader && deadline > .now {
        if !hasTold { askToPutBack(names.name(of: descriptor)) }
        hasTold = true
        guard try await isBack(descriptor, by: deadline) else { throw error }
      }
    }
  }

  func tellBusy(_ error: UserMessage) {
    prompter.tell("Waiting: \(error.message).")
  }

  func pause(_ duration: Duration) async throws(UserMessage) {
    do { try await Task.sleep(for: duration) } catch { throw .interrupted }
  }

  // MARK: What is in reach

  /// The security keys in reach now; with `--device`, that one or none.
  ///
  /// - Parameter cards: also those on readers, when no key was named.
  /// - Returns: none when there is none.
  /// - Throws: `permission-denied`.
  func connected(cards: Bool = true) async throws(UserMessage) -> [AuthenticatorDescriptor] {
    do throws(PRFDeviceError) {
      if let path = options.device { return [try await AuthenticatorList.authenticator(at: path)] }
      let found =
        cards ? try await AuthenticatorList.connected() : try AuthenticatorList.pluggedIn()
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
  ///   - known: the keys that are there and will not do.
  ///   - unsuitable: how many of them hold nothing of use; nil: all.
  ///   - seconds: how long to wait.
  ///   - wanted: what to ask for.
  /// - Returns: every key then in reach; nil after the time.
  /// - Throws: `permission-denied`, `interrupted`.
  func newcomers(
    to known: [AuthenticatorDescriptor], unsuitable: Int? = nil, within seconds: Int,
    _ wanted: WantedAuthenticator
  ) async throws(UserMessage) -> [AuthenticatorDescriptor]? {
    let insert = Event.Insert(
      accepting: wanted.labels, otherKeySlots: wanted.otherKeySlots, path: options.device,
      seconds: seconds, unsuitable: unsuitable ?? known.count, purpose: wanted.purpose)
    return try await prompter.insert(insert) { () async throws(UserMessage) in
      try await change(from: known, until: .now + .seconds(seconds))
    }
  }

  /// Waits until a security key is in reach that was not there before.
  ///
  /// - Parameters:
  ///   - known: the keys that do not count; one that is pulled out and put in
  ///     again does.
  ///   - deadline: when to give up.
  /// - Returns: every key then in reach; nil after the time.
  /// - Throws: `permission-denied`, `interrupted`.
  func change(
    from known: [AuthenticatorDescriptor], until deadline: ContinuousClock.Instant
  ) async throws(UserMessage) -> [AuthenticatorDescriptor]? {
    let news = NewcomerCheck(known: Set(known), path: options.device)
    do throws(PRFDeviceError) {
      let found = try await AuthenticatorList.wait(upTo: max(.zero, deadline - .now)) {
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

  /// That there is no key, and what the readers have to do with it.
  private func nothingInReach() async -> UserMessage {
    guard let path = options.device else {
      return .noAuthenticator(await AuthenticatorList.readers())
    }
    return UserMessage(
      .noAuthenticator, "no security key found at \(path)",
      hint: "to see those in reach: keybackup devices")
  }

  static func ambiguous(_ found: [AuthenticatorDescriptor]) -> UserMessage {
    UserMessage(
      .ambiguous, "\(found.count) security keys are in reach",
      hint: "unplug all but one, or name one with --device: "
        + found.map { "\($0.path) (\(OpenAuthenticator.name(of: $0)))" }.joined(separator: ", "))
  }
}

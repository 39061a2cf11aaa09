public import PRFDevice
import SecretMemory
import Synchronization
import TestSupport
import VirtualKey

/// The keys of a behaviour, whatever their route.
public final class PluggedKeys: Sendable {
  /// The PIN of every simulated key that has one.
  public static let pinText = "1234"
  /// The relying party ID of credentials: not a valid host, so that no web page can request them.
  public static let rpID = "keybackup-device-suite:"

  /// The route to the keys.
  public let route: Route
  /// The keys' PIN.
  public let pin: PIN

  private enum Access: Sendable {
    case transports([SimulatedKey])
    /// This many keys that `AuthenticatorList` finds.
    case list(Int)
    case descriptor(AuthenticatorDescriptor)
  }

  private struct State {
    var opened: [Authenticator] = []
    var credential: CreatedCredential?
    /// Listed once: an open card is missing from a later list.
    var descriptors: [AuthenticatorDescriptor]?
  }

  private let access: Access
  private let state = Mutex(State())
  /// Is called before every credential is created; prevents it by throwing.
  private let willCreate: @Sendable (CredentialRequest) async throws -> Void

  private init(
    _ route: Route, _ pin: PIN, _ access: Access,
    willCreate: @escaping @Sendable (CredentialRequest) async throws -> Void = { _ in }
  ) {
    self.route = route
    self.pin = pin
    self.access = access
    self.willCreate = willCreate
  }

  /// Plugs in the behaviour's simulated keys within this process.
  ///
  /// - Throws: when its settings are misspelt or the system fails.
  public static func inProcess(for behaviour: Behaviour) throws -> PluggedKeys {
    let keys = try behaviour.keys.map { settings in
      let settings = try KeySettings(settings)
      return SimulatedKey(
        try InProcessKey(settings.configuration, store: settings.makeStore()))
    }
    return PluggedKeys(.inProcess, try makePIN(), .transports(keys))
  }

  /// The behaviour's keys as `AuthenticatorList` finds them.
  ///
  /// - Throws: only after a bug: the PIN is valid.
  public static func listed(for behaviour: Behaviour, on route: Route) throws -> PluggedKeys {
    PluggedKeys(route, try makePIN(), .list(behaviour.keys.count))
  }

  /// One real key.
  ///
  /// - Parameters:
  ///   - descriptor: the key.
  ///   - pin: its PIN.
  ///   - willCreate: is called before a credential is created, and prevents it by throwing.
  /// - Returns: the key, for harmless behaviours.
  public static func real(
    _ descriptor: AuthenticatorDescriptor, pin: PIN,
    willCreate: @escaping @Sendable (CredentialRequest) async throws -> Void
  ) -> PluggedKeys {
    PluggedKeys(.hardware, pin, .descriptor(descriptor), willCreate: willCreate)
  }

  // MARK: Opening

  /// Opens key number `index`, optionally with other options; it is closed with the behaviour.
  func open(
    _ index: Int = 0, _ change: (inout Authenticator.Options) -> Void = { _ in }
  ) async throws -> Authenticator {
    var options = Authenticator.Options()
    // A busy or emulated machine is slow; a real key is not, and a person waits for it.
    options.answerTimeout = route == .hardware ? .seconds(20) : Backstop.duration
    change(&options)
    let opened: Authenticator
    switch access {
    case .transports(let keys):
      opened = try await Authenticator.open(over: keys[index], options: options)
    case .list, .descriptor:
      opened = try await Authenticator.open(try await descriptors()[index], options: options)
    }
    state.withLock { $0.opened.append(opened) }
    return opened
  }

  /// The keys' descriptors, once all are connected.
  func descriptors() async throws -> [AuthenticatorDescriptor] {
    switch access {
    case .transports: return []
    case .descriptor(let descriptor): return [descriptor]
    case .list(let count):
      if let known = state.withLock({ $0.descriptors }) { return known }
      let found = try await AuthenticatorList.wait(upTo: Backstop.duration) { $0.count >= count }
      state.withLock { $0.descriptors = found }
      return found
    }
  }

  /// Closes the opened keys.
  func close() async {
    for authenticator in state.withLock({ $0.opened }) { await authenticator.close() }
  }

  // MARK: Credentials

  /// Creates a credential with the PIN.
  func create(
    on authenticator: Authenticator, user: String = "device suite", isDiscoverable: Bool = false,
    excluding: [CredentialID] = [], protection: CredentialProtection? = nil,
    verifiedBy pin: PIN?
  ) async throws -> CreatedCredential {
    let request = CredentialRequest(
      rpID: Self.rpID, rpName: "keybackup's device suite", userName: user,
      userDisplayName: "made by a test, may be deleted", isDiscoverable: isDiscoverable,
      excludedIDs: excluding, protection: protection)
    try await willCreate(request)
    return try await authenticator.createCredential(request, pin: pin)
  }

  /// A credential that is not discoverable, created once for all behaviours that share these keys,
  /// so that a real key is touched once.
  func credential(on authenticator: Authenticator) async throws -> CredentialID {
    if let made = state.withLock({ $0.credential }) { return made.id }
    let made = try await create(on: authenticator, verifiedBy: pin)
    state.withLock { $0.credential = made }
    return made.id
  }

  static func makePIN(_ text: String = pinText) throws -> PIN {
    try PIN(SecretBytes(copying: unsafe Array(text.utf8).span.bytes))
  }
}

extension PRFRequest {
  /// An evaluation for the suite's relying party.
  static func suite(
    _ ids: [CredentialID] = [], _ first: PRFInput, _ second: PRFInput? = nil
  ) -> PRFRequest {
    PRFRequest(rpID: PluggedKeys.rpID, credentialIDs: ids, first: first, second: second)
  }
}

extension PRFInput {
  static let one = PRFInput.webAuthn([1])
  static let two = PRFInput.webAuthn([2])
}

extension SecretBytes {
  /// The bytes, for comparison in a test.
  var bytes: [UInt8] {
    withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }
}

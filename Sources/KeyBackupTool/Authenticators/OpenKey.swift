internal import PRFDevice
internal import Synchronization

/// An opened security key with a person before it: knows what to call it and
/// how to get its PIN, which is asked for once and kept until the command ends.
final class OpenKey: Sendable {
  let descriptor: AuthenticatorDescriptor
  let finder: KeyFinder
  /// The PIN that the key has accepted.
  let accepted = Mutex<PIN?>(nil)
  private let enrolledLabel = Mutex<String?>(nil)
  private let current: Mutex<Authenticator>
  private let known = Mutex<Identity?>(nil)

  init(
    authenticator: Authenticator, descriptor: AuthenticatorDescriptor, finder: KeyFinder
  ) {
    current = Mutex(authenticator)
    self.descriptor = descriptor
    self.finder = finder
  }

  /// The opened device; another one after the key was put back on its reader.
  var authenticator: Authenticator {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Which key it is, where it may be taken off a reader and put back.
  var identity: Identity? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }

  /// What the key was called when it was enrolled, once it is known which it is.
  var label: String? {
    get { enrolledLabel.withLock { $0 } }
    set { enrolledLabel.withLock { $0 = newValue } }
  }

  /// What the key is called on screen: two of one model differ in their labels.
  var name: String {
    let product = Self.name(of: descriptor)
    let label = PrintableText.clean(self.label ?? "", limit: 40)
    return label.isEmpty || label == product ? product : "\(product) \"\(label)\""
  }

  /// The name and where it is plugged in, for lists of several.
  var described: String { "\(name) at \(descriptor.path)" }

  /// The product's name, cleaned of whatever a device might send.
  ///
  /// A card has no name to tell; its reader does.
  static func name(of descriptor: AuthenticatorDescriptor) -> String {
    let name = PrintableText.clean(descriptor.product)
    if descriptor.isOnReader { return "the key on \(name)" }
    return name.isEmpty || name == "( )" ? "security key" : name
  }

  /// Runs one call to the device and turns its error into words.
  func call<R: Sendable>(
    _ body: (Authenticator) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    do throws(PRFDeviceError) {
      return try await body(authenticator)
    } catch {
      throw message(error)
    }
  }

  /// What the key says of itself, and how many tries its PIN has, if it has one.
  func description() async throws(UserMessage) -> (AuthenticatorInfo, pinRetries: Int?) {
    try await call { key throws(PRFDeviceError) in
      let info = try await key.info()
      return (info, pinRetries: info.isPINSet ? try await key.pinRetries() : nil)
    }
  }

  /// An error of this key in words.
  func message(_ error: PRFDeviceError) -> UserMessage {
    UserMessage(error, key: name, onReader: descriptor.isOnReader)
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
}

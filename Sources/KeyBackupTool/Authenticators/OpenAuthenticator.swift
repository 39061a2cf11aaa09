internal import PRFDevice
internal import Synchronization

/// An opened security key with a person before it: knows what to call it and
/// how to get its PIN, which is asked for once and kept until the command ends.
final class OpenAuthenticator: Sendable {
  let descriptor: AuthenticatorDescriptor
  let finder: AuthenticatorFinder
  /// The PIN that the key has accepted.
  let accepted = Mutex<PIN?>(nil)
  private let enrolledLabel = Mutex<String?>(nil)
  private let current: Mutex<Authenticator>
  private let known = Mutex<Identity?>(nil)

  init(
    authenticator: Authenticator, descriptor: AuthenticatorDescriptor, finder: AuthenticatorFinder
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

  /// The product's name.
  var product: String { Self.name(of: descriptor) }

  /// What the key is called on screen: two of one model differ in their labels, or in
  /// where they are.
  ///
  /// A label may be the product's name, which its reader does not tell: two readers
  /// always differ in their numbers.
  var name: String {
    let told = finder.names.name(of: descriptor)
    return labelled(shownLabel == nil || descriptor.isOnReader ? told : product)
  }

  /// What the person calls the key, where it is not the product's name.
  private var shownLabel: String? {
    let label = PrintableText.clean(self.label ?? "", limit: 40)
    return label.isEmpty || label == product ? nil : label
  }

  private func labelled(_ name: String) -> String {
    shownLabel.map { "\(name) \"\($0)\"" } ?? name
  }

  /// The product's name, cleaned of whatever a device might send.
  ///
  /// A card has no name to tell; its reader does.
  ///
  /// - Parameters:
  ///   - descriptor: the key.
  ///   - place: whether to tell where it is: the device file, or the reader's number.
  /// - Returns: the name, safe to show.
  static func name(
    of descriptor: AuthenticatorDescriptor, telling place: Bool = false
  ) -> String {
    if descriptor.isOnReader {
      let reader = descriptor.path.dropFirst(AuthenticatorDescriptor.readerScheme.count)
      return "the key on " + PrintableText.clean(place ? String(reader) : descriptor.product)
    }
    let product = PrintableText.clean(descriptor.product)
    let name = product.isEmpty || product == "( )" ? "security key" : product
    return place ? "\(name) at \(descriptor.path)" : name
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
    ShownKey(
      name: labelled(product), told: name, path: descriptor.path,
      transport: descriptor.transport.rawValue)
  }

  /// Asks for the key's touch once the call that `body` runs waits for it.
  ///
  /// - Parameters:
  ///   - why: what the touch does, when there is more than one.
  ///   - body: the call, and what it calls when the key waits.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  func touched<R: Sendable>(
    _ why: String? = nil,
    _ body: (@escaping @Sendable () -> Void) async throws(PRFDeviceError) -> R
  ) async throws(PRFDeviceError) -> R {
    try await finder.prompter.touch(
      shown, why: why, seconds: finder.touchPatience, while: body)
  }
}

package import CommandKit
package import PRFDevice
package import Synchronization

/// An open security key and its user: it has a name and a means to obtain its PIN.
///
/// The PIN is requested once and kept until the command ends.
package final class OpenAuthenticator: Sendable {
  package let descriptor: AuthenticatorDescriptor
  package let finder: AuthenticatorFinder
  /// The PIN that the key has accepted.
  package let accepted = Mutex<PIN?>(nil)
  private let enrolledLabel = Mutex<String?>(nil)
  private let current: Mutex<Authenticator>
  private let known = Mutex<Identity?>(nil)

  package init(
    authenticator: Authenticator, descriptor: AuthenticatorDescriptor, finder: AuthenticatorFinder
  ) {
    current = Mutex(authenticator)
    self.descriptor = descriptor
    self.finder = finder
  }

  /// The open device; a different one after the key was put back on its reader.
  package var authenticator: Authenticator {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// The identity of the key, if it may be removed from a reader and put back.
  package var identity: Identity? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }

  /// The key's name at enrolment, once the key is identified.
  package var label: String? {
    get { enrolledLabel.withLock { $0 } }
    set { enrolledLabel.withLock { $0 = newValue } }
  }

  /// The product's name.
  package var product: String { Self.name(of: descriptor) }

  /// The key's name on screen; two of one model differ in their labels or their places.
  ///
  /// A label may be the product's name, which a reader does not state. Two readers always differ in
  /// their numbers.
  package var name: String {
    let told = finder.names.name(of: descriptor)
    return labelled(shownLabel == nil || descriptor.isOnReader ? told : product)
  }

  /// The user's name for the key, if it differs from the product's name.
  private var shownLabel: String? {
    let label = PrintableText.name(self.label ?? "", limit: 40)
    return label.isEmpty || label == product ? nil : label
  }

  private func labelled(_ name: String) -> String {
    shownLabel.map { "\(name) \"\($0)\"" } ?? name
  }

  /// The product's name, with unsafe characters from the device removed.
  ///
  /// A card has no name; its reader has.
  ///
  /// - Parameters:
  ///   - descriptor: the key.
  ///   - place: whether to include its place: the device file, or the reader's number.
  /// - Returns: the name, safe to display.
  package static func name(
    of descriptor: AuthenticatorDescriptor, telling place: Bool = false
  ) -> String {
    if descriptor.isOnReader {
      let reader = descriptor.path.dropFirst(AuthenticatorDescriptor.readerScheme.count)
      return "the key on " + PrintableText.name(place ? String(reader) : descriptor.product)
    }
    let product = PrintableText.name(descriptor.product)
    let name = product.isEmpty || product == "( )" ? "security key" : product
    return place ? "\(name) at \(descriptor.path)" : name
  }

  /// Runs one call to the device and converts its error to a message.
  package func call<R: Sendable>(
    _ body: (Authenticator) async throws(PRFDeviceError) -> R
  ) async throws(UserMessage) -> R {
    do throws(PRFDeviceError) {
      return try await body(authenticator)
    } catch {
      throw message(error)
    }
  }

  /// The key's capabilities, and the number of PIN tries left if it has a PIN.
  package func description() async throws(UserMessage) -> (AuthenticatorInfo, pinRetries: Int?) {
    try await call { key throws(PRFDeviceError) in
      let info = try await key.info()
      return (info, pinRetries: info.isPINSet ? try await key.pinRetries() : nil)
    }
  }

  /// The message for an error of this key.
  package func message(_ error: PRFDeviceError) -> UserMessage {
    UserMessage(error, key: name, onReader: descriptor.isOnReader)
  }

  /// The description of the key for people and calling programs.
  package var shown: ShownKey {
    ShownKey(
      name: labelled(product), told: name, path: descriptor.path,
      transport: descriptor.transport.rawValue)
  }

  /// Asks for the key's touch once the call in `body` waits for it.
  ///
  /// - Parameters:
  ///   - why: the purpose of the touch, when there is more than one.
  ///   - body: the call; its argument must be called when the key waits.
  /// - Returns: the result of `body`.
  /// - Throws: the errors of `body`.
  func touched<R: Sendable>(
    _ why: String? = nil,
    _ body: (@escaping @Sendable () -> Void) async throws(PRFDeviceError) -> R
  ) async throws(PRFDeviceError) -> R {
    try await finder.prompter.touch(
      shown, why: why, seconds: finder.touchPatience, while: body)
  }
}

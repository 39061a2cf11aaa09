import OpenSSLCrypto

/// A simulated key below any transport: CTAP requests in, answers out, on the calling thread, with
/// immediate touches.
public final class MessageKey {
  private let authenticator: Authenticator
  private static let agreementKey = P256Key()

  /// Powers up a key.
  public init(_ configuration: KeyConfiguration = KeyConfiguration(), store: KeyStore) {
    authenticator = Authenticator(configuration: configuration, store: store, trace: .none)
    guard configuration.sparesCurves else { return }
    authenticator.protocols = configuration.pinProtocols.map { number in
      PINProtocol(number: number, agreementKey: Self.agreementKey)
    }
  }

  /// Answers a request (command byte and CBOR) with status and CBOR; nil for no answer, also from a
  /// disconnected key.
  public func respond(to request: [UInt8]) -> [UInt8]? {
    (try? authenticator.respond(to: request)) ?? nil
  }
}

extension KeyStore {
  /// Creates a separate memory with the contents of another one.
  public convenience init(copying other: KeyStore) { self.init(other.snapshot) }
}

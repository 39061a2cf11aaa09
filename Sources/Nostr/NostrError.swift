/// What can be wrong with a Nostr key, its text or an event.
public enum NostrError: Error, Equatable, Sendable {
  /// 32 bytes that are no secret key: zero, or not below the curve's order.
  case invalidSecretKey
  /// 32 bytes that are no x coordinate of the curve.
  case invalidPublicKey
  /// Text that is no Bech32 (BIP-173): why.
  case invalidBech32(String)
  /// Bech32 with another human-readable part than the one asked for.
  case wrongPrefix(found: String)
  /// An entity that does not hold 32 bytes.
  case wrongLength
  /// An event that does not follow NIP-01: why.
  case invalidEvent(String)
  /// The event names another public key than the one that is to sign it.
  case otherPublicKey
  /// A remembered identity that cannot be read.
  case invalidIdentity
  /// A call of the library that cannot fail failed: a bug here.
  case internalError(String)
}

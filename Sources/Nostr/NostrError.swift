/// The errors of a Nostr key, its text or an event.
public enum NostrError: Error, Equatable, Sendable {
  /// The 32 bytes are not a secret key: zero, or not below the curve's order.
  case invalidSecretKey
  /// The 32 bytes are not an x coordinate of the curve.
  case invalidPublicKey
  /// The text is not Bech32 (BIP-173), for this reason.
  case invalidBech32(String)
  /// The Bech32 text has another human-readable part than the requested one.
  case wrongPrefix(found: String)
  /// The entity does not hold 32 bytes.
  case wrongLength
  /// The event does not follow NIP-01, for this reason.
  case invalidEvent(String)
  /// The event names another public key than that of the signer.
  case otherPublicKey
  /// A remembered identity cannot be read.
  case invalidIdentity
  /// A library call that cannot fail failed: a bug in this program.
  case internalError(String)
}

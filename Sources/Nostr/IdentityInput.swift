public import SecretMemory

/// Which identity of a credential is meant: nostr-passkey's three modes.
public enum IdentityInput: ~Copyable, Sendable {
  /// The one that needs no name.
  case standard
  /// One of many, counted from 0.
  case index(UInt32)
  /// One that only a phrase leads to; it may be empty.
  case passphrase(SecretBytes)

  /// Highest index.
  ///
  /// nostr-passkey sets none; one identity more than anybody has keeps what is
  /// stored and listed small.
  public static let maximumIndex: UInt32 = 999_999

  /// The input of WebAuthn's `prf` extension, which the platform hashes once
  /// more before the authenticator gets it.
  ///
  /// Of a passphrase it is the SHA-256 of the SHA-256 of `nostr-key-` and the
  /// phrase's UTF-8 bytes, as they are: no Unicode normalisation.
  public borrowing func prfInput() -> [UInt8] {
    switch self {
    case .standard: return Array("nostr-key-v1".utf8)
    case .index(let index): return Array("nostr-key-\(index)".utf8)
    case .passphrase(let phrase):
      var hash = SHA256()
      let prefix = Array("nostr-key-".utf8)
      unsafe hash.update(prefix.span.bytes)
      phrase.withBytes { hash.update($0) }
      return SHA256.hash(hash.finalize())
    }
  }
}

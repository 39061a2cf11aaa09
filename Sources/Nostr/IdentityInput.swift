public import SecretMemory

/// The input that selects one identity of a credential: nostr-passkey's three modes.
public struct IdentityInput: Equatable, Sendable {
  /// The name of the identity.
  public enum Name: Equatable, Sendable {
    /// No name: the standard identity.
    case standard
    /// A number, counted from 0.
    case index(UInt32)
    /// A phrase that is stored nowhere.
    case passphrase
  }

  /// The highest index.
  ///
  /// nostr-passkey has no limit. This one exceeds any person's need and keeps the stored and listed
  /// data small.
  public static let maximumIndex: UInt32 = 999_999

  /// The name of the identity.
  public let name: Name
  /// The input of WebAuthn's `prf` extension, which the platform hashes once more for the
  /// authenticator.
  public let prfInput: [UInt8]

  private init(_ name: Name, _ prfInput: [UInt8]) {
    self.name = name
    self.prfInput = prfInput
  }

  /// The identity without a name.
  public static let standard = IdentityInput(.standard, Array("nostr-key-v1".utf8))

  /// The identity with an index.
  ///
  /// - Precondition: `index` is at most ``maximumIndex``.
  public static func index(_ index: UInt32) -> IdentityInput {
    precondition(index <= maximumIndex, "checked by the caller")
    return IdentityInput(.index(index), Array("nostr-key-\(index)".utf8))
  }

  /// The identity for a phrase.
  ///
  /// The input is the SHA-256 of the SHA-256 of `nostr-key-` and the phrase. It is useless
  /// without the credential, but it would confirm a guess of the phrase. So it is sent to the key
  /// and stored nowhere.
  ///
  /// - Parameter phrase: UTF-8 as typed, without Unicode normalisation. It may be empty.
  /// - Returns: the input.
  public static func passphrase(_ phrase: borrowing SecretBytes) -> IdentityInput {
    var hash = SHA256()
    let prefix = Array("nostr-key-".utf8)
    unsafe hash.update(prefix.span.bytes)
    phrase.withBytes { hash.update($0) }
    return IdentityInput(.passphrase, SHA256.hash(hash.finalize()))
  }
}

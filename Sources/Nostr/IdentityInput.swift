public import SecretMemory

/// Which identity of a credential is meant: nostr-passkey's three modes.
public struct IdentityInput: Equatable, Sendable {
  /// What leads to the identity.
  public enum Name: Equatable, Sendable {
    /// Nothing: the one that needs no name.
    case standard
    /// A number, counted from 0.
    case index(UInt32)
    /// A phrase that is stored nowhere.
    case passphrase
  }

  /// Highest index.
  ///
  /// nostr-passkey sets none; more identities than anybody has keep what is
  /// stored and listed small.
  public static let maximumIndex: UInt32 = 999_999

  /// What leads to it.
  public let name: Name
  /// The input of WebAuthn's `prf` extension, which the platform hashes once
  /// more before the authenticator gets it.
  public let prfInput: [UInt8]

  private init(_ name: Name, _ prfInput: [UInt8]) {
    self.name = name
    self.prfInput = prfInput
  }

  /// The identity that needs no name.
  public static let standard = IdentityInput(.standard, Array("nostr-key-v1".utf8))

  /// One of many.
  ///
  /// - Precondition: `index` is at most ``maximumIndex``.
  public static func index(_ index: UInt32) -> IdentityInput {
    precondition(index <= maximumIndex, "checked by the caller")
    return IdentityInput(.index(index), Array("nostr-key-\(index)".utf8))
  }

  /// The one that a phrase leads to.
  ///
  /// The input is the SHA-256 of the SHA-256 of `nostr-key-` and the phrase. It
  /// opens nothing without the credential, but it would confirm a guess of the
  /// phrase: it is sent to the key and kept nowhere.
  ///
  /// - Parameter phrase: UTF-8, as it was typed: no Unicode normalisation. It may
  ///   be empty.
  /// - Returns: the input.
  public static func passphrase(_ phrase: borrowing SecretBytes) -> IdentityInput {
    var hash = SHA256()
    let prefix = Array("nostr-key-".utf8)
    unsafe hash.update(prefix.span.bytes)
    phrase.withBytes { hash.update($0) }
    return IdentityInput(.passphrase, SHA256.hash(hash.finalize()))
  }
}

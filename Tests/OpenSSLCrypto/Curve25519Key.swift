internal import COpenSSL

/// A private key on Curve25519: X25519 or Ed25519 (RFC 7748, RFC 8032).
public struct Curve25519Key: Sendable {
  /// What the key is for.
  public enum Purpose: Sendable {
    /// X25519.
    case agreement
    /// Ed25519.
    case signing

    fileprivate var type: Int32 { self == .agreement ? NID_X25519 : NID_ED25519 }
  }

  private let purpose: Purpose
  private let bytes: [UInt8]

  /// The key of 32 bytes: a scalar for X25519, a seed for Ed25519.
  public init(_ purpose: Purpose, _ bytes: [UInt8]) {
    self.purpose = purpose
    self.bytes = bytes
  }

  private func withKey<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    let key = unsafe EVP_PKEY_new_raw_private_key(purpose.type, nil, bytes, bytes.count)
    defer { unsafe EVP_PKEY_free(key) }
    return unsafe body(key)
  }

  /// The public key, 32 bytes.
  public var publicKey: [UInt8] {
    unsafe withKey { key in
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = 32
      unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count)
      return bytes
    }
  }

  /// The shared secret with another public key, 32 bytes.
  public func sharedSecret(with other: [UInt8]) -> [UInt8]? {
    unsafe withKey { key in
      let peer = unsafe EVP_PKEY_new_raw_public_key(purpose.type, nil, other, other.count)
      let context = unsafe EVP_PKEY_CTX_new(key, nil)
      defer {
        unsafe EVP_PKEY_free(peer)
        unsafe EVP_PKEY_CTX_free(context)
      }
      var secret = [UInt8](repeating: 0, count: 32)
      var count = 32
      guard unsafe EVP_PKEY_derive_init(context) == 1,
        unsafe EVP_PKEY_derive_set_peer(context, peer) == 1,
        unsafe EVP_PKEY_derive(context, &secret, &count) == 1
      else { return nil }
      return secret
    }
  }

  /// A signature, 64 bytes.
  public func signature(for message: [UInt8]) -> [UInt8]? {
    unsafe withKey { key in
      let context = unsafe EVP_MD_CTX_new()
      defer { unsafe EVP_MD_CTX_free(context) }
      var signature = [UInt8](repeating: 0, count: 64)
      var count = 64
      guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
        unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
      else { return nil }
      return signature
    }
  }

  /// Whether a signature is this key's.
  public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    unsafe withKey { key in
      let context = unsafe EVP_MD_CTX_new()
      defer { unsafe EVP_MD_CTX_free(context) }
      return unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
        && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
  }
}

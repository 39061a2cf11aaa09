// This folder is for hash functions and what derives keys by them. Ciphers, and which key is for
// what, are not known here.

internal import CSodium

/// Keys that are derived from a key by number: libsodium's `crypto_kdf`.
///
/// It is BLAKE2b without a message, with the number as salt and the context as personalisation.
public enum BLAKE2bSubkey {
  /// Derives a key of 32 bytes.
  ///
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - number: which key.
  ///   - context: what the keys are for, 8 bytes of UTF-8.
  /// - Returns: 32 bytes.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for another size.
  public static func derive(
    from key: borrowing SecretBytes, number: UInt64, context: String
  ) throws(SecretMemoryError) -> SecretBytes {
    let context = context.utf8.map { CChar(bitPattern: $0) }
    guard key.count == crypto_kdf_keybytes() else { throw .invalidParameter("KDF key: 32 bytes") }
    guard context.count == crypto_kdf_contextbytes() else {
      throw .invalidParameter("KDF context: 8 bytes")
    }
    var subkey = SecretBytes(zeroed: 32)
    unsafe subkey.withUnsafeMutableBytes { subkey in
      unsafe key.withUnsafeBytes { key in
        _ = unsafe crypto_kdf_derive_from_key(
          subkey.cBytes, subkey.count, number, context, key.cBytes)
      }
    }
    return subkey
  }
}

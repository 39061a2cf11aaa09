internal import CSodium

/// HMAC-SHA-256 (RFC 2104) with keys of any size and 32-byte results.
public enum HMACSHA256 {
  /// The size of a code, 32 bytes.
  public static let codeSize = 32

  /// The code of `message` under `key`.
  public static func code(for message: RawSpan, key: RawSpan) -> SecretBytes {
    var code = SecretBytes(zeroed: codeSize)
    unsafe code.withUnsafeMutableBytes { code in
      unsafe write(key: key, pieces: message, into: code.cBytes)
    }
    return code
  }

  /// The code of `message` under `key`.
  public static func code(for message: [UInt8], key: borrowing SecretBytes) -> SecretBytes {
    key.withBytes { unsafe code(for: message.span.bytes, key: $0) }
  }

  /// Writes the 32-byte code of up to three pieces that form one message.
  ///
  /// The state is as secret as the key: it stays in this frame and is wiped.
  static func write(
    key: RawSpan, pieces first: RawSpan, _ second: RawSpan = RawSpan(),
    _ third: RawSpan = RawSpan(), into code: UnsafeMutablePointer<UInt8>
  ) {
    var state = crypto_auth_hmacsha256_state()
    unsafe key.withUnsafeBytes { key in
      _ = unsafe crypto_auth_hmacsha256_init(&state, key.cBytes, key.count)
    }
    unsafe first.withUnsafeBytes { piece in
      _ = unsafe crypto_auth_hmacsha256_update(&state, piece.cBytes, UInt64(piece.count))
    }
    unsafe second.withUnsafeBytes { piece in
      _ = unsafe crypto_auth_hmacsha256_update(&state, piece.cBytes, UInt64(piece.count))
    }
    unsafe third.withUnsafeBytes { piece in
      _ = unsafe crypto_auth_hmacsha256_update(&state, piece.cBytes, UInt64(piece.count))
    }
    unsafe crypto_auth_hmacsha256_final(&state, code)
    unsafe sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
  }
}

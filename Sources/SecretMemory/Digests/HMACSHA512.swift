internal import CSodium

/// HMAC-SHA-512 (RFC 2104) with keys of any size and 64-byte results.
public enum HMACSHA512 {
  /// The size of a code, 64 bytes.
  public static let codeSize = 64

  /// The code of `message` under `key`.
  public static func code(for message: RawSpan, key: RawSpan) -> SecretBytes {
    let keyed = KeyedSHA512(key)
    var code = SecretBytes(zeroed: codeSize)
    unsafe code.withUnsafeMutableBytes { code in
      unsafe keyed.write(message, RawSpan(), into: code.cBytes)
    }
    return code
  }

  /// PBKDF2 with HMAC-SHA-512 (RFC 8018, section 5.2) for one block, as BIP-39 derives a seed.
  ///
  /// libsodium does not provide it, so the loop is implemented here on libsodium's HMAC, in guarded
  /// memory.
  ///
  /// - Parameters:
  ///   - password: any size.
  ///   - salt: any size.
  ///   - iterations: 1 or more.
  /// - Returns: 64 bytes.
  public static func pbkdf2(
    password: RawSpan, salt: RawSpan, iterations: Int
  ) -> SecretBytes {
    precondition(iterations > 0, "at least one iteration")
    let keyed = KeyedSHA512(password)
    // The number of the single block.
    let first: [UInt8] = [0, 0, 0, 1]
    // The sum, followed by the last code.
    var work = SecretBytes(zeroed: 2 * codeSize)
    unsafe work.withUnsafeMutableBytes { work in
      let sum = unsafe UnsafeMutableRawPointer(work.cBytes)
      let code = unsafe work.cBytes + codeSize
      unsafe keyed.write(salt, first.span.bytes, into: code)
      unsafe sum.copyMemory(from: code, byteCount: codeSize)
      for _ in 1..<max(iterations, 1) {
        unsafe keyed.write(
          RawSpan(_unsafeStart: code, byteCount: codeSize), RawSpan(), into: code)
        for word in 0..<codeSize / 8 {
          let place = unsafe sum + word * 8
          let other = unsafe UnsafeRawPointer(code + word * 8).load(as: UInt64.self)
          unsafe place.storeBytes(of: place.load(as: UInt64.self) ^ other, as: UInt64.self)
        }
      }
    }
    work.resize(to: codeSize)
    return work
  }
}

/// HMAC-SHA-512 with its key set: created once, used many times.
///
/// The state, and the copy that each use changes, are guarded.
private struct KeyedSHA512: ~Copyable {
  private let states: SecretBytes
  private static let size = MemoryLayout<crypto_auth_hmacsha512_state>.stride

  init(_ key: RawSpan) {
    var states = SecretBytes(zeroed: 2 * Self.size)
    unsafe states.withUnsafeMutableBytes { states in
      let state = unsafe UnsafeMutableRawPointer(states.cBytes)
        .assumingMemoryBound(to: crypto_auth_hmacsha512_state.self)
      unsafe key.withUnsafeBytes { key in
        _ = unsafe crypto_auth_hmacsha512_init(state, key.cBytes, key.count)
      }
    }
    self.states = states
  }

  /// Writes the 64-byte code of two pieces that form one message; `code` may overlap a piece.
  func write(_ first: RawSpan, _ second: RawSpan, into code: UnsafeMutablePointer<UInt8>) {
    unsafe states.withUnsafeBytes { states in
      let start = unsafe UnsafeMutableRawPointer(mutating: UnsafeRawPointer(states.cBytes))
      let copy = unsafe (start + Self.size)
      unsafe copy.copyMemory(from: start, byteCount: Self.size)
      let state = unsafe copy.assumingMemoryBound(to: crypto_auth_hmacsha512_state.self)
      unsafe first.withUnsafeBytes { piece in
        _ = unsafe crypto_auth_hmacsha512_update(state, piece.cBytes, UInt64(piece.count))
      }
      unsafe second.withUnsafeBytes { piece in
        _ = unsafe crypto_auth_hmacsha512_update(state, piece.cBytes, UInt64(piece.count))
      }
      unsafe crypto_auth_hmacsha512_final(state, code)
    }
  }
}

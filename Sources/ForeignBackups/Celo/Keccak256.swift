/// Keccak-256 as Ethereum uses it: the permutation of SHA-3 with the padding of before FIPS 202.
///
/// OpenSSL has it under a name only from 3.2 on, and Debian 12 has 3.0. It is never used for a
/// secret: it hashes what a file has unencrypted, and public keys.
enum Keccak256 {
  /// The size of a digest, 32 bytes.
  static let digestSize = 32
  /// The bytes that one permutation takes in: 200 less twice the digest.
  private static let rate = 136

  /// The 32-byte digest of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: the message.
  ///   - padding: the byte after the message; SHA3-256 differs in nothing but this one, 0x06.
  /// - Returns: the digest.
  static func hash(_ bytes: [UInt8], padding: UInt8 = 0x01) -> [UInt8] {
    var padded = bytes
    padded.append(padding)
    padded += [UInt8](repeating: 0, count: (rate - padded.count % rate) % rate)
    padded[padded.count - 1] ^= 0x80
    var state = [UInt64](repeating: 0, count: 25)
    for block in stride(from: 0, to: padded.count, by: rate) {
      for index in 0..<rate {
        state[index / 8] ^= UInt64(padded[block + index]) << UInt64(index % 8 * 8)
      }
      permute(&state)
    }
    return (0..<digestSize).map { UInt8(truncatingIfNeeded: state[$0 / 8] >> UInt64($0 % 8 * 8)) }
  }

  /// The hash of a text's UTF-8 bytes.
  static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }

  /// Keccak-f[1600]: 24 rounds on five by five lanes, lane x of row y at x + 5y (FIPS 202,
  /// section 3.2).
  private static func permute(_ lanes: inout [UInt64]) {
    for constant in roundConstants {
      // Theta: each lane takes in the parity of two columns.
      var parity = Array(lanes[..<5])
      for index in 5..<25 { parity[index % 5] ^= lanes[index] }
      for index in 0..<25 {
        lanes[index] ^= parity[(index + 4) % 5] ^ rotated(parity[(index + 1) % 5], 1)
      }
      // Rho and pi: every lane is turned, and takes the place of another one.
      var moved = lanes
      for y in 0..<5 {
        for x in 0..<5 {
          moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(lanes[x + 5 * y], offsets[x + 5 * y])
        }
      }
      // Chi: the only step that is not linear. Iota: the round's constant.
      for index in 0..<25 {
        let row = index / 5 * 5
        lanes[index] =
          moved[index] ^ (~moved[row + (index + 1) % 5] & moved[row + (index + 2) % 5])
      }
      lanes[0] ^= constant
    }
  }

  private static func rotated(_ lane: UInt64, _ count: UInt64) -> UInt64 {
    lane &<< count | lane &>> (64 &- count)
  }

  private static let offsets: [UInt64] = [
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
  ]

  private static let roundConstants: [UInt64] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808A, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808B, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008A, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000A,
    0x0000_0000_8000_808B, 0x8000_0000_0000_008B, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800A, 0x8000_0000_8000_000A,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
  ]
}

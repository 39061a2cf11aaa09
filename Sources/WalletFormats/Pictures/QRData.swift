internal import SecretMemory

/// The codewords of a QR code: the bit stream, padding and Reed-Solomon error correction.
enum QRData {
  /// The number of bits of mode, count and content.
  static func bitCount(of count: Int, _ mode: SeedQRCode.Mode) -> Int {
    switch mode {
    case .numeric: 4 + 10 + count / 3 * 10 + [0, 4, 7][count % 3]
    case .bytes: 4 + 8 + count * 8
    }
  }

  static func codewords(
    of content: borrowing SecretBytes, _ mode: SeedQRCode.Mode, _ version: QRVersion
  ) -> SecretBytes {
    var words = SecretBytes(zeroed: version.dataSize + version.correctionSize)
    words.withMutableBytes { words in
      content.withBytes { content in
        var position = 0
        /// Adds the lowest bits of a number, highest first.
        func put(_ value: Int, _ bits: Int, into words: inout MutableRawSpan) {
          for bit in stride(from: bits - 1, through: 0, by: -1) {
            let byte = words.bytes.byte(position / 8)
            let one = UInt8(value >> bit & 1) << (7 - UInt8(position % 8))
            words.set(position / 8, byte | one)
            position += 1
          }
        }
        switch mode {
        case .numeric:
          put(1, 4, into: &words)
          put(content.byteCount, 10, into: &words)
          for start in stride(from: 0, to: content.byteCount, by: 3) {
            let end = min(start + 3, content.byteCount)
            let number = (start..<end).reduce(0) { $0 * 10 + Int(content.byte($1) & 15) }
            put(number, [4, 7, 10][end - start - 1], into: &words)
          }
        case .bytes:
          put(4, 4, into: &words)
          put(content.byteCount, 8, into: &words)
          for offset in 0..<content.byteCount { put(Int(content.byte(offset)), 8, into: &words) }
        }
        // The terminator consists of zeroes, which are already there.
        let used = (min(position + 4, version.dataSize * 8) + 7) / 8
        for (index, place) in (used..<version.dataSize).enumerated() {
          words.set(place, index % 2 == 0 ? 0xEC : 0x11)
        }
      }
      appendCorrection(to: &words, version)
    }
    return words
  }

  /// Appends the remainder of the data divided by the generator polynomial.
  private static func appendCorrection(to words: inout MutableRawSpan, _ version: QRVersion) {
    let generator = generator(degree: version.correctionSize)
    for index in 0..<version.dataSize {
      let factor = words.bytes.byte(index) ^ words.bytes.byte(version.dataSize)
      for place in 0..<version.correctionSize {
        let next =
          place + 1 < version.correctionSize ? words.bytes.byte(version.dataSize + place + 1) : 0
        words.set(version.dataSize + place, next ^ multiply(generator[place], factor))
      }
    }
  }

  /// The product of x - 1, x - 2, x - 4 and so on, without its leading 1, highest power first.
  private static func generator(degree: Int) -> [UInt8] {
    var polynomial = [UInt8](repeating: 0, count: degree)
    polynomial[degree - 1] = 1
    var root: UInt8 = 1
    for _ in 0..<degree {
      for place in 0..<degree {
        polynomial[place] = multiply(polynomial[place], root)
        if place + 1 < degree { polynomial[place] ^= polynomial[place + 1] }
      }
      root = multiply(root, 2)
    }
    return polynomial
  }

  /// Multiplies in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1, in constant time.
  private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt8 = 0
    for bit in stride(from: 7, through: 0, by: -1) {
      product = (product << 1) ^ ((product >> 7) &* 0x1D)
      product ^= ((right >> UInt8(bit)) & 1) &* left
    }
    return product
  }
}

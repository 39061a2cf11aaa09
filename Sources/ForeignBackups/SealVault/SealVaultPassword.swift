package import SecretMemory

/// SealVault's password: 20 characters of 32, so 100 random bits.
package struct SealVaultPassword: ~Copyable {
  /// How many characters count.
  package static let length = 20
  /// The longest input that is read, in bytes.
  package static let sizeLimit = 1024

  /// The characters, as ASCII.
  let letters: SecretBytes

  /// Reads what a person typed, as SealVault does.
  ///
  /// Small letters are taken for large ones, O for 0, I and L for 1. Every other character is left
  /// out: hyphens and spaces, but also a U.
  ///
  /// - Throws: `secretForm` unless 20 characters are left.
  package init(parsing input: borrowing SecretBytes) throws(ForeignBackupError) {
    var letters = SecretBytes(zeroed: Self.length)
    let count = input.withBytes { input in
      var count = 0
      for place in 0..<input.byteCount {
        let byte = unsafe input.unsafeLoad(fromByteOffset: place, as: UInt8.self)
        guard let letter = Self.letter(byte) else { continue }
        if count < Self.length {
          letters.withMutableBytes {
            $0.storeBytes(of: letter, toByteOffset: count, as: UInt8.self)
          }
        }
        count += 1
      }
      return count
    }
    guard input.count <= Self.sizeLimit, count == Self.length else {
      throw .secretForm(
        part: "the SealVault password", form: "20 letters and digits, of those that SealVault uses")
    }
    self.letters = letters
  }

  private init(letters: consuming SecretBytes) { self.letters = letters }

  /// Makes a new one.
  package static func generate() -> SealVaultPassword {
    let random = SecretBytes.random(count: length)
    return SealVaultPassword(
      letters: SecretBytes(count: length) { letters in
        random.withBytes { random in
          for place in 0..<length {
            let byte = unsafe random.unsafeLoad(fromByteOffset: place, as: UInt8.self)
            letters.storeBytes(
              of: CrockfordBase32.upperCase[Int(byte & 31)], toByteOffset: place, as: UInt8.self)
          }
        }
      })
  }

  /// The password as a person writes it down: `XXXXX-XXXXX-XXXXX-XXXXX`.
  package var display: SecretBytes {
    SecretBytes(count: Self.length + 3) { text in
      letters.withBytes { letters in
        for place in 0..<Self.length {
          let group = place / 5
          if place % 5 == 0, group > 0 {
            text.storeBytes(of: 0x2D, toByteOffset: 6 * group - 1, as: UInt8.self)
          }
          let byte = unsafe letters.unsafeLoad(fromByteOffset: place, as: UInt8.self)
          text.storeBytes(of: byte, toByteOffset: place + group, as: UInt8.self)
        }
      }
    }
  }

  /// Whether two are the same; takes the same time for all of them.
  package func isEqual(to other: borrowing SealVaultPassword) -> Bool {
    letters.isEqual(to: other.letters)
  }

  /// The letter that a byte means; nil: it is left out.
  private static func letter(_ byte: UInt8) -> UInt8? {
    CrockfordBase32.value(of: byte).map { CrockfordBase32.upperCase[Int($0)] }
  }
}

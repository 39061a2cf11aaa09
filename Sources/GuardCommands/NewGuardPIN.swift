internal import SecretMemory

/// A PIN that nobody could have chosen: random digits.
enum NewGuardPIN {
  /// The numbers of digits that a generated PIN may have.
  static let digits = 6...9

  /// Draws a PIN that the blocklist accepts.
  ///
  /// - Parameter count: its digits.
  /// - Returns: the digits as ASCII.
  static func random(digits count: Int) -> SecretBytes {
    while true {
      let pin = draw(count)
      if PINBlocklist.objection(to: pin, isPassword: false) == nil { return pin }
    }
  }

  private static func draw(_ count: Int) -> SecretBytes {
    var pin = SecretBytes(zeroed: count)
    var filled = 0
    while filled < count {
      let random = SecretBytes.random(count: 64)
      random.withBytes { random in
        for offset in 0..<64 where filled < count {
          let byte = unsafe random.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
          // 250 is the largest multiple of 10 that a byte holds.
          guard byte < 250 else { continue }
          pin.withMutableBytes {
            $0.storeBytes(of: 0x30 + byte % 10, toByteOffset: filled, as: UInt8.self)
          }
          filled += 1
        }
      }
    }
    return pin
  }
}

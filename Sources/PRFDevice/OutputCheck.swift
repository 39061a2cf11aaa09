internal import SecretMemory

/// Recognises outputs that no HMAC gives and that others know.
///
/// The salt stands in the clear beside what the output seals: a key that sends
/// it back, or zeros, would leave the door open.
enum OutputCheck {
  /// - Parameters:
  ///   - outputs: 32 bytes for each salt.
  ///   - salts: 32 or 64 bytes.
  /// - Returns: `false` for one byte repeated, for a salt, and for the same
  ///   output at two different salts.
  static func isPlausible(_ outputs: borrowing SecretBytes, salts: [UInt8]) -> Bool {
    let size = PRFInput.saltSize
    return outputs.withBytes { bytes in
      for start in stride(from: 0, to: bytes.byteCount, by: size) {
        let first = bytes.byte(start)
        // Every byte is looked at: how long it takes tells nothing.
        var spread: UInt8 = 0
        for offset in start..<start + size { spread |= bytes.byte(offset) ^ first }
        if spread == 0 { return false }
        for salt in stride(from: 0, to: salts.count, by: size) {
          var difference: UInt8 = 0
          for offset in 0..<size { difference |= bytes.byte(start + offset) ^ salts[salt + offset] }
          if difference == 0 { return false }
        }
      }
      guard bytes.byteCount == 2 * size, salts.prefix(size) != salts.suffix(size) else {
        return true
      }
      var difference: UInt8 = 0
      for offset in 0..<size { difference |= bytes.byte(offset) ^ bytes.byte(size + offset) }
      return difference != 0
    }
  }
}

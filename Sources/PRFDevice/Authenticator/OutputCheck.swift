internal import SecretMemory

/// Detects outputs that no HMAC gives and that others know.
///
/// The salt is in plain text beside the data that the output seals. A key that returned the salt,
/// or zeros, would protect nothing.
enum OutputCheck {
  /// - Parameters:
  ///   - outputs: 32 bytes for each salt.
  ///   - salts: 32 or 64 bytes.
  /// - Returns: the flaw; nil where there is none. One repeated byte is no secret, nor is a salt.
  ///   Two different salts must not give the same output.
  static func flaw(_ outputs: borrowing SecretBytes, salts: [UInt8]) -> String? {
    let size = PRFInput.saltSize
    let isSecret = outputs.withBytes { bytes in
      for start in stride(from: 0, to: bytes.byteCount, by: size) {
        let first = bytes.byte(start)
        // Every byte is examined, so the duration reveals nothing.
        var spread: UInt8 = 0
        for offset in start..<start + size { spread |= bytes.byte(offset) ^ first }
        if spread == 0 { return false }
        for salt in stride(from: 0, to: salts.count, by: size) {
          var difference: UInt8 = 0
          for offset in 0..<size { difference |= bytes.byte(start + offset) ^ salts[salt + offset] }
          if difference == 0 { return false }
        }
      }
      return true
    }
    guard isSecret else { return "the hmac-secret output is not a secret" }
    guard outputs.count == 2 * size, salts.prefix(size) != salts.suffix(size) else { return nil }
    let ignoresSalt = outputs.withBytes { bytes in
      var difference: UInt8 = 0
      for offset in 0..<size { difference |= bytes.byte(offset) ^ bytes.byte(size + offset) }
      return difference == 0
    }
    return ignoresSalt ? "hmac-secret gives the same for every salt" : nil
  }
}

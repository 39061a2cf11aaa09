internal import SecretMemory

/// The one-time code that many security keys type when they are touched while
/// their keyboard function is on: easily entered into a PIN prompt by accident.
enum OneTimeCode {
  /// The letters of "modhex", which are in the same place on most keyboards.
  private static let letters = Set("cbdefghijklnrtuv".utf8)
  /// 16 bytes of code and up to 8 of the key's public name, two letters a byte;
  /// 44 letters unless somebody changed the key's settings.
  private static let lengths = 32...48

  /// Whether this is such a code, by all that can be seen.
  static func matches(_ typed: borrowing SecretBytes) -> Bool {
    guard lengths.contains(typed.count), typed.count.isMultiple(of: 2) else { return false }
    return typed.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { offset in
        let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        // With Caps Lock on the letters are capitals.
        return letters.contains(byte | 0x20)
      }
    }
  }
}

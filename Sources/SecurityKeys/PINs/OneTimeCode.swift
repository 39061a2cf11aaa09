internal import SecretMemory

/// The one-time code that many security keys type when touched while their keyboard function is on.
///
/// It is easily entered into a PIN prompt by accident.
enum OneTimeCode {
  /// The letters of "modhex", which are at the same place on most keyboards.
  private static let letters = Set("cbdefghijklnrtuv".utf8)
  /// The lengths: 16 bytes of code and up to 8 of the key's public name, two letters per byte.
  ///
  /// The length is 44 letters unless the key's settings were changed.
  private static let lengths = 32...48

  /// Whether the text looks like such a code in every respect.
  static func matches(_ typed: borrowing SecretBytes) -> Bool {
    guard lengths.contains(typed.count), typed.count.isMultiple(of: 2) else { return false }
    return typed.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { offset in
        let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        // Caps Lock makes the letters upper case.
        return letters.contains(byte | 0x20)
      }
    }
  }
}

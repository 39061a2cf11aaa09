internal import SecretMemory

extension SecretBytes {
  /// The bytes that some editors put before UTF-8 text.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The text without a byte order mark.
  ///
  /// - Parameters:
  ///   - what: the secret's name in messages.
  ///   - place: where it was read, for messages.
  /// - Returns: the text.
  /// - Throws: `data-invalid` for UTF-16, which would be taken for another secret.
  consuming func unmarked(_ what: String, in place: String) throws(UserMessage) -> SecretBytes {
    // In UTF-16 every character of ASCII has a zero byte, and in UTF-8 none has.
    let isUTF16 = withBytes { $0.begins([0xFF, 0xFE]) || $0.begins([0xFE, 0xFF]) || $0.hasZero }
    guard !isUTF16 else {
      throw UserMessage(
        .dataInvalid, "the \(what) in \(place) is not UTF-8 text, but UTF-16 or something else",
        hint: "save it as UTF-8; it was not used")
    }
    guard withBytes({ $0.begins(Self.byteOrderMark) }) else { return self }
    return copy(Self.byteOrderMark.count..<count)
  }
}

extension RawSpan {
  fileprivate func begins(_ bytes: [UInt8]) -> Bool {
    guard byteCount >= bytes.count else { return false }
    return bytes.indices.allSatisfy { byte($0) == bytes[$0] }
  }

  fileprivate var hasZero: Bool { byteOffsets.contains { byte($0) == 0 } }

  private func byte(_ offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

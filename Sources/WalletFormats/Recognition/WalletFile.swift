/// Files in which wallet programs keep their wallets.
enum WalletFile {
  /// First bytes that tell a kind.
  private static let beginnings: [(kind: KnownInput, bytes: [UInt8])] = [
    (.covb, Array("COVB".utf8)),
    // H2's database, plain and encrypted, and what Sparrow puts before it.
    (.sparrowWallet, Array("H:2,block:".utf8)),
    (.sparrowWallet, Array("H2encrypt\n".utf8)), (.sparrowWallet, Array("SPRW1\n".utf8)),
  ]

  /// The IDs of the application in databases of Bitcoin Core: the magic bytes of the networks.
  private static let networks: [[UInt8]] = [
    [0xF9, 0xBE, 0xB4, 0xD9], [0x0B, 0x11, 0x09, 0x07], [0x1C, 0x16, 0x3F, 0x28],
    [0x0A, 0x03, 0xCF, 0x40], [0xFA, 0xBF, 0xB5, 0xDA],
  ]

  /// The kind of a file by its first bytes.
  static func kind(of file: RawSpan) -> KnownInput? {
    if file.starts(with: "SQLite format 3\0".utf8, at: 0) {
      return networks.contains { file.starts(with: $0, at: 68) } ? .bitcoinCoreWallet : nil
    }
    // The magic number of a tree, in either order of bytes.
    let isTree = [[0x62, 0x31, 0x05, 0x00], [0x00, 0x05, 0x31, 0x62]].contains {
      file.starts(with: $0, at: 12)
    }
    if isTree, file.byteCount >= 512 { return .berkeleyDatabase }
    return beginnings.first { file.starts(with: $0.bytes, at: 0) }?.kind
  }

  /// Whether a text looks like a JSON object, and has all these members.
  ///
  /// It is not parsed: Electrum appends changes to its file.
  static func isJSON(_ text: RawSpan, with names: [String]) -> Bool {
    guard text.starts(with: "{".utf8, at: 0) else { return false }
    return names.allSatisfy { name in
      (0..<text.byteCount).contains { text.starts(with: name.utf8, at: $0) }
    }
  }

  /// Whether a text is base64 that begins with Electrum's `BIE1` or `BIE2`.
  static func isEncryptedElectrum(_ text: RawSpan) -> Bool {
    text.byteCount > 100 && text.starts(with: "QklFM".utf8, at: 0)
      && (0..<text.byteCount).allSatisfy { offset in
        let byte = text.byte(offset)
        return ASCII.isLetter(byte) || ASCII.isDigit(byte)
          || [UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "=")].contains(byte)
      }
  }
}

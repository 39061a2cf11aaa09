internal import SecretMemory

/// Keys that stand alone as one word with a checksum, and belong to no wallet of many addresses.
enum SingleKey {
  /// Whether a text is a private key of Bitcoin in the wallet import format.
  static func isImportFormat(_ text: RawSpan) -> Bool {
    [33, 34].contains { size in
      isBase58(text, size) { key in
        // The networks' version bytes; of a compressed public key's also the last byte.
        [0x80, 0xEF].contains(key.byte(0)) && (size == 33 || key.byte(33) == 1)
      }
    }
  }

  /// Whether a text is a private key that is encrypted with a passphrase (BIP-38).
  static func isEncrypted(_ text: RawSpan) -> Bool {
    isBase58(text, 39) { $0.byte(0) == 0x01 && [0x42, 0x43].contains($0.byte(1)) }
  }

  /// Whether a text is Bech32 with this prefix; `nostr:` before it does not count (NIP-21).
  static func isBech32(_ text: RawSpan, _ prefix: String) -> Bool {
    let scheme = text.starts(with: "nostr:".utf8, at: 0) ? 6 : 0
    let key = text.extracting(scheme..<text.byteCount)
    guard key.byteCount <= 200 else { return false }
    switch try? Bech32.decode(key, maximumSize: 200) {
    case nil: return false
    case .some(let decoded): return decoded.prefix == prefix
    }
  }

  private static func isBase58(
    _ text: RawSpan, _ count: Int, _ fits: (RawSpan) -> Bool
  ) -> Bool {
    switch try? Base58.decode(text, count: count) {
    case nil: return false
    case .some(let key): return key.withBytes { fits($0) }
    }
  }
}

internal import CommandKit
internal import Nostr
internal import SecretMemory

/// Keys in the user's form: `npub`, `nsec`, or 64 hex digits.
enum NostrText {
  /// A public key from an `npub` or hex digits.
  ///
  /// - Throws: `data-invalid`.
  static func publicKey(_ text: String) throws(UserMessage) -> NostrPublicKey {
    let digits = Array(text.utf8)
    do throws(NostrError) {
      if let bytes = LenientDecoding.hex(text), bytes.count == 32 {
        return try NostrPublicKey(bytes)
      }
      let key = try unsafe NIP19.decode(digits.span.bytes)
      switch consume key {
      case .publicKey(let key): return key
      case .secretKey: throw NostrError.wrongPrefix(found: "nsec")
      }
    } catch {
      throw UserMessage(error)
    }
  }

  /// A key's text from a file or standard input, without surrounding white space.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - prompter: asks at a terminal.
  /// - Returns: the text.
  /// - Throws: the errors of reading.
  static func read(_ path: String, _ prompter: Prompter) throws(UserMessage) -> SecretBytes {
    let text = try InputFile.readText(
      path, limit: 4096, asking: "key", prompter)
    let range = text.withBytes { bytes in
      var range = 0..<bytes.byteCount
      while let first = range.first, isSpace(bytes, first) { range.removeFirst() }
      while let last = range.last, isSpace(bytes, last) { range.removeLast() }
      return range
    }
    return text.copy(range)
  }

  private static func isSpace(_ bytes: RawSpan, _ index: Int) -> Bool {
    [9, 10, 13, 32].contains(unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
  }

  /// A secret key from an `nsec` or hex digits.
  ///
  /// - Throws: `data-invalid`.
  static func secretKey(_ text: borrowing SecretBytes) throws(UserMessage) -> NostrSecretKey {
    do throws(NostrError) {
      var bytes = SecretBytes(zeroed: 32)
      let isHex = text.withBytes { Hex.decode($0, into: &bytes) }
      if isHex { return try NostrSecretKey(bytes) }
      let key = try text.withBytes { (text) throws(NostrError) in try NIP19.decode(text) }
      switch consume key {
      case .secretKey(let key): return key
      case .publicKey: throw NostrError.wrongPrefix(found: "npub")
      }
    } catch {
      throw UserMessage(error)
    }
  }

  /// The kind of key in a text, without revealing the text.
  ///
  /// - Returns: `public-key`, `secret-key`, or `either` for digits that may be both; and the public
  ///   key, if it is certain.
  /// - Throws: `data-invalid`.
  static func examine(
    _ text: borrowing SecretBytes
  ) throws(UserMessage) -> (kind: String, publicKey: NostrPublicKey?) {
    do throws(NostrError) {
      var bytes = SecretBytes(zeroed: 32)
      let isHex = text.withBytes { Hex.decode($0, into: &bytes) }
      if isHex {
        guard bytes.count == 32 else { throw NostrError.wrongLength }
        let isPoint = NostrPublicKey.isOne(bytes)
        let isScalar = (try? NostrSecretKey(bytes)) != nil
        guard isPoint || isScalar else { throw NostrError.invalidPublicKey }
        return (isPoint && isScalar ? "either" : isPoint ? "public-key" : "secret-key", nil)
      }
      let key = try text.withBytes { (text) throws(NostrError) in try NIP19.decode(text) }
      switch consume key {
      case .publicKey(let key): return ("public-key", key)
      case .secretKey(let key): return ("secret-key", key.publicKey)
      }
    } catch {
      throw UserMessage(error)
    }
  }
}

public import SecretMemory

/// Keys in the form that people see: `npub1...` and `nsec1...` (NIP-19).
public enum NIP19 {
  /// The kind of a bare key's text.
  public enum Kind: String, Sendable {
    /// A public key.
    case publicKey = "npub"
    /// A secret key.
    case secretKey = "nsec"
  }

  /// A decoded key.
  public enum Key: ~Copyable {
    /// An `npub`, checked to be a point of the curve.
    case publicKey(NostrPublicKey)
    /// An `nsec`, checked to be a scalar of the curve.
    case secretKey(NostrSecretKey)
  }

  /// The `npub` of an identity.
  public static func npub(_ key: NostrPublicKey) -> String {
    let bytes = unsafe SecretBytes(copying: key.bytes.span.bytes)
    let text = Bech32.encode(prefix: Kind.publicKey.rawValue, values: Bech32.values(of: bytes))
    return unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The `nsec` of a secret key, 63 characters.
  public static func nsec(_ key: borrowing NostrSecretKey) -> SecretBytes {
    Bech32.encode(prefix: Kind.secretKey.rawValue, values: Bech32.values(of: key.copyBytes()))
  }

  /// The other entities of NIP-19, and the encrypted key of NIP-49.
  ///
  /// Some are longer than Bech32 allows, so they are told by their beginning.
  private static let otherKinds = ["nprofile", "nevent", "naddr", "nrelay", "ncryptsec"]

  /// Decodes an `npub` or `nsec`.
  ///
  /// - Parameter text: ASCII; upper-case letters only if all are. What `nostr:` (NIP-21), `@` or a
  ///   link such as `https://njump.me/npub1...` has around it does not count.
  /// - Returns: the key.
  /// - Throws: ``NostrError/invalidBech32(_:)``, ``NostrError/wrongPrefix(found:)``,
  ///   ``NostrError/wrongLength``, ``NostrError/invalidPublicKey``,
  ///   ``NostrError/invalidSecretKey``.
  public static func decode(_ text: RawSpan) throws(NostrError) -> Key {
    let text = text.extracting(entity(in: text))
    if let other = otherKinds.first(where: { begins(text, with: $0 + "1") }) {
      throw .wrongPrefix(found: other)
    }
    let decoded: Bech32.Decoded
    do throws(Bech32.Mistake) {
      decoded = try Bech32.decode(text)
    } catch {
      throw .invalidBech32("\(error)")
    }
    guard let kind = Kind(rawValue: decoded.prefix) else {
      throw .wrongPrefix(found: decoded.prefix)
    }
    let bytes: SecretBytes
    do throws(Bech32.Mistake) {
      bytes = try Bech32.bytes(of: decoded.values)
    } catch {
      throw .invalidBech32("\(error)")
    }
    guard bytes.count == 32 else { throw .wrongLength }
    switch kind {
    case .publicKey:
      let coordinate = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
      return .publicKey(try NostrPublicKey(coordinate))
    case .secretKey:
      return .secretKey(try NostrSecretKey(bytes))
    }
  }

  /// Where the entity is in a text: behind a scheme, or the last part of a link's path.
  private static func entity(in text: RawSpan) -> Range<Int> {
    func byte(_ place: Int) -> UInt8 {
      unsafe text.unsafeLoad(fromByteOffset: place, as: UInt8.self)
    }
    var range = 0..<text.byteCount
    if ["https://", "http://", "nostr://", "web+nostr://"].contains(where: {
      begins(text, with: $0)
    }) {
      let end = range.first { [UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte($0)) }
      range = 0..<(end ?? range.upperBound)
      if range.last.map(byte) == UInt8(ascii: "/") { range.removeLast() }
      let slash = range.last { byte($0) == UInt8(ascii: "/") }
      return (slash.map { $0 + 1 } ?? 0)..<range.upperBound
    }
    let scheme = ["web+nostr:", "nostr:", "@"].first { begins(text, with: $0) }
    return (scheme?.utf8.count ?? 0)..<range.upperBound
  }

  /// Whether a text begins with lower-case letters, in either case.
  private static func begins(_ text: RawSpan, with start: String) -> Bool {
    guard text.byteCount >= start.utf8.count else { return false }
    for (offset, expected) in start.utf8.enumerated() {
      let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      if (isCapital ? byte | 0x20 : byte) != expected { return false }
    }
    return true
  }
}

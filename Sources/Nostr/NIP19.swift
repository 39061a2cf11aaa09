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

  /// Decodes an `npub` or `nsec`.
  ///
  /// - Parameter text: ASCII; upper-case letters only if all are.
  /// - Returns: the key.
  /// - Throws: ``NostrError/invalidBech32(_:)``, ``NostrError/wrongPrefix(found:)``,
  ///   ``NostrError/wrongLength``, ``NostrError/invalidPublicKey``,
  ///   ``NostrError/invalidSecretKey``.
  public static func decode(_ text: RawSpan) throws(NostrError) -> Key {
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
}

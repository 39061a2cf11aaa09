/// A BIP-32 fingerprint: the first 4 bytes of a key's HASH160.
///
/// It is not secret.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
  /// 8 lower-case hexadecimal digits.
  public let description: String

  /// Parses 8 hexadecimal digits of either case.
  ///
  /// - Throws: ``WalletFormatError/fingerprintForm``.
  public init(_ text: String) throws(WalletFormatError) {
    guard text.utf8.count == 8, text.utf8.allSatisfy(ASCII.isHexDigit) else {
      throw .fingerprintForm
    }
    description = text.lowercased()
  }

  init(number: UInt32) {
    description = ASCII.hex((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
  }

  /// The first four bytes of a key's HASH160, as one number.
  static func number(of hash: [UInt8]) -> UInt32 {
    hash.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

internal import SecretMemory

/// The ID of a wallet record.
///
/// A new one is random, because CSPP stores it unencrypted.
public struct WalletID: Hashable, Sendable, CustomStringConvertible {
  /// 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
  public let description: String

  /// The longest ID, 64 bytes.
  public static let sizeLimit = 64

  /// Parses an ID that the user or another program chose.
  ///
  /// - Throws: ``WalletFormatError/walletIDForm``.
  public init(_ text: String) throws(WalletFormatError) {
    let allowed = text.utf8.allSatisfy { byte in
      ASCII.isLetter(byte) || ASCII.isDigit(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
    }
    guard allowed, (1...Self.sizeLimit).contains(text.utf8.count) else { throw .walletIDForm }
    description = text
  }

  private init(bytes: [UInt8]) {
    description = ASCII.hex(bytes)
  }

  /// Creates an ID: 16 random bytes in hexadecimal.
  public static func random() -> WalletID {
    WalletID(bytes: Randomness.bytes(count: 16))
  }
}

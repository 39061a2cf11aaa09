internal import SecretMemory

/// The 20 bytes by which Ethereum and Celo name a public key.
package struct EthereumAddress: Equatable, Sendable {
  /// The number of bytes, 20.
  static let size = 20

  /// The bytes.
  let bytes: [UInt8]

  /// The address of a public key.
  ///
  /// - Parameter point: the key's two coordinates, 64 bytes.
  init(of point: [UInt8]) { bytes = Array(Keccak256.hash(point).suffix(Self.size)) }

  /// Reads `0x` and 40 hex digits; where both cases occur, they must be EIP-55's checksum.
  ///
  /// - Returns: nil for anything else.
  init?(_ text: String) {
    let digits = Array(text.utf8.dropFirst(2))
    guard text.utf8.starts(with: "0x".utf8), digits.count == 2 * Self.size,
      let bytes = unsafe Hex.decode(digits.span.bytes, upperCase: true)
    else { return nil }
    self.bytes = bytes
    let hasBothCases =
      digits.contains { (0x41...0x46).contains($0) }
      && digits.contains { (0x61...0x66).contains($0) }
    if hasBothCases, self.text != text { return nil }
  }

  /// The address in EIP-55's capitals: `0x` and 40 digits.
  package var text: String {
    let digits = Hex.string(bytes)
    let hash = Hex.string(Keccak256.hash(digits))
    return "0x"
      + zip(digits, hash).map { $1 >= "8" ? $0.uppercased() : String($0) }.joined()
  }
}

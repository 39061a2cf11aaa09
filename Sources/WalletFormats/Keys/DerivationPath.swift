/// A BIP-32 derivation path.
///
/// It is not secret.
public struct DerivationPath: Hashable, Sendable, CustomStringConvertible {
  /// The steps; 2^31 and above are hardened.
  public let steps: [UInt32]

  /// The longest path, 255 steps: an extended key stores its depth in one byte.
  public static let stepLimit = 255

  private static let hardened: UInt32 = 0x8000_0000

  /// Parses `m` or numbers below 2^31 separated by `/`, with or without `m/` in front.
  ///
  /// `'` or `h` after a number makes it hardened.
  ///
  /// - Throws: ``WalletFormatError/derivationPathForm``.
  public init(_ text: String) throws(WalletFormatError) {
    var parts = text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)[...]
    if let first = parts.first, Array(first) == [0x6D] { parts.removeFirst() }
    // Rejects the empty text, and more steps than a key can count.
    guard !text.isEmpty, parts.count <= Self.stepLimit else { throw .derivationPathForm }
    var steps: [UInt32] = []
    for part in parts {
      guard let step = Self.step(part) else { throw .derivationPathForm }
      steps.append(step)
    }
    self.steps = steps
  }

  /// The path in the form `m/84'/0'/0'`: always with `m`, and `'` for hardened steps.
  public var description: String {
    var text = "m"
    for step in steps {
      text += "/\(step & ~Self.hardened)"
      if step >= Self.hardened { text += "'" }
    }
    return text
  }

  private static func step(_ part: Substring.UTF8View) -> UInt32? {
    var digits = part
    var isHardened = false
    if let last = digits.last, last == 0x27 || last == 0x68 {
      isHardened = true
      digits.removeLast()
    }
    guard (1...10).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else { return nil }
    let number = digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
    guard number < UInt64(hardened) else { return nil }
    return UInt32(number) | (isHardened ? hardened : 0)
  }
}

// This folder is for one output descriptor, checked and parsed. Other rooms read its properties and
// build one from an AccountKey. Lists and entries are not known here.

public import SecretMemory

/// An output descriptor (BIP-380 to 386, 389, 390), checked.
///
/// Checked are the character set, checksum, functions and their allowed positions, key expressions
/// with their keys, hashes, numbers and multipath steps. Not checked is whether miniscript in `wsh`
/// and `tr` is well typed and sane, and whether an address exists.
public struct Descriptor: ~Copyable {
  /// The descriptor with its checksum: `wpkh(...)#xxxxxxxx`.
  ///
  /// Letters and hardened markers stay as written.
  public let text: SecretBytes
  /// The outermost function: `wpkh`, `tr`, ...
  public let function: String
  /// Whether a checksum was given; without one, a mistyped character outside the keys goes
  /// unnoticed.
  public let hadChecksum: Bool
  /// Whether it contains an extended private key or one in wallet import format.
  public let containsPrivateKey: Bool
  /// Whether it contains a key whose private half is elsewhere.
  public let containsPublicKey: Bool
  /// The network according to its keys; `nil` if no key states one.
  public let network: KeyNetwork?
  /// The number of descriptors that it represents: 1, or the number of alternatives in its
  /// multipath steps (BIP-389).
  public let branchCount: Int

  /// The longest input that is read, 65536 bytes.
  public static let sizeLimit = 65_536

  /// Checks a descriptor with or without a checksum.
  ///
  /// - Throws: ``WalletFormatError``: `empty`, `tooLong`, `invalidCharacter`,
  ///   one of the `descriptor` cases. Positions count bytes of the descriptor
  ///   from its first character.
  public init(checking input: borrowing SecretBytes) throws(WalletFormatError) {
    var text = try input.withBytes { text throws(WalletFormatError) in
      SecretBytes(
        copying: text.extracting(try ASCII.trimmed(text, limit: Self.sizeLimit)))
    }
    let bodySize = try text.withBytes { text throws(WalletFormatError) in
      try Self.bodySize(text)
    }
    let hadChecksum = bodySize < text.count
    let facts = try text.withBytes { text throws(WalletFormatError) in
      try DescriptorParser.check(text.extracting(0..<bodySize))
    }
    if !hadChecksum { text = try Self.appendingChecksum(to: text) }
    self.text = text
    self.hadChecksum = hadChecksum
    function = facts.function
    containsPrivateKey = facts.containsPrivateKey
    containsPublicKey = facts.containsPublicKey
    network = facts.network
    branchCount = max(facts.branchCount, 1)
  }

  /// One of the descriptors that a multipath descriptor represents, with its own checksum.
  ///
  /// By convention 0 is external, 1 is change.
  ///
  /// - Precondition: `index` is in `0..<branchCount`.
  /// - Returns: the descriptor itself if there is only one.
  public borrowing func branch(_ index: Int) -> SecretBytes {
    precondition((0..<branchCount).contains(index), "no such branch")
    let body = text.withBytes { text in
      Self.choose(index, in: text.extracting(0..<(text.byteCount - DescriptorChecksum.size - 1)))
    }
    // All its characters come from a descriptor that has a checksum.
    return (try? Self.appendingChecksum(to: body)) ?? text.copy()
  }

  /// Verifies the checksum, if there is one, and returns the size of the text before it.
  static func bodySize(_ text: RawSpan) throws(WalletFormatError) -> Int {
    var size = 0
    while size < text.byteCount, text.byte(size) != 0x23 { size += 1 }
    let expected = try DescriptorChecksum.characters(for: text.extracting(0..<size))
    if size == text.byteCount { return size }
    let checksum = text.extracting((size + 1)..<text.byteCount)
    guard DescriptorChecksum.isWellFormed(checksum) else { throw .descriptorChecksumForm }
    guard checksum.starts(with: expected, at: 0) else { throw .descriptorChecksum }
    return size
  }

  /// Whether a text has a key with the version bytes of SLIP-132, such as a zpub, which descriptors do
  /// not have.
  static func hasOtherKeyForm(_ text: RawSpan) -> Bool {
    var start = 0
    for end in 0...text.byteCount {
      let isInKey =
        end < text.byteCount && (ASCII.isLetter(text.byte(end)) || ASCII.isDigit(text.byte(end)))
      if isInKey { continue }
      if end - start > 100, let key = try? ExtendedKeyPayload.check(text.extracting(start..<end)),
        key.version.form != .plain
      {
        return true
      }
      start = end + 1
    }
    return false
  }

  private static func appendingChecksum(
    to body: borrowing SecretBytes
  ) throws(WalletFormatError) -> SecretBytes {
    try body.withBytes { body throws(WalletFormatError) in
      let checksum = try DescriptorChecksum.characters(for: body)
      return SecretBytes(count: body.byteCount + 1 + checksum.count) { text in
        for offset in 0..<body.byteCount { text.set(offset, body.byte(offset)) }
        text.set(body.byteCount, 0x23)
        for (index, character) in checksum.enumerated() {
          text.set(body.byteCount + 1 + index, character)
        }
      }
    }
  }

  /// Replaces every `<a;b;...>` by its alternative `index`.
  ///
  /// The text was checked: these characters occur nowhere else.
  private static func choose(_ index: Int, in body: RawSpan) -> SecretBytes {
    var chosen = SecretBytes(zeroed: body.byteCount)
    let length = chosen.withMutableBytes { output in
      var length = 0
      var alternative: Int?
      for offset in 0..<body.byteCount {
        let byte = body.byte(offset)
        if byte == 0x3C {
          alternative = 0
        } else if byte == 0x3E {
          alternative = nil
        } else if byte == 0x3B, let current = alternative {
          alternative = current + 1
        } else if alternative == nil || alternative == index {
          output.set(length, byte)
          length += 1
        }
      }
      return length
    }
    chosen.resize(to: length)
    return chosen
  }
}

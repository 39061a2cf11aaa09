public import SecretMemory

/// A wallet's labels (BIP-329), checked, in the form in which a CSPP record stores them.
///
/// Labels reveal a person's business partners: they are private data, protected like a secret.
public struct WalletLabels: ~Copyable {
  /// The JSON lines, compressed with zstd into one frame.
  public let compressed: SecretBytes
  /// The number of labels.
  public let count: Int
  /// SHA-256 of the JSON lines, in lower-case hexadecimal.
  public let hash: String
  /// The size of the JSON lines in bytes.
  public let uncompressedSize: Int

  /// The most JSON lines that a record may hold, 10 MiB uncompressed (CSPP).
  public static let sizeLimit = 10 * 1024 * 1024

  /// Checks JSON lines and compresses them.
  ///
  /// Every byte is kept, except for a byte order mark.
  ///
  /// - Throws: ``WalletFormatError``: `labelsTooLarge`, `labelsLine`; `empty`
  ///   for lines without a label.
  public init(checking jsonLines: borrowing SecretBytes) throws(WalletFormatError) {
    let hasMark = jsonLines.withBytes { $0.starts(with: [0xEF, 0xBB, 0xBF], at: 0) }
    if hasMark {
      try self.init(checking: jsonLines.copy(3..<jsonLines.count))
    } else {
      _ = try Self.check(jsonLines)
      try self.init(keeping: jsonLines)
    }
  }

  /// Compresses the lines that a wallet has already, also those that another program made and this
  /// version does not know.
  ///
  /// - Throws: ``WalletFormatError``: `labelsTooLarge`, `empty`.
  public init(keeping jsonLines: borrowing SecretBytes) throws(WalletFormatError) {
    guard jsonLines.count <= Self.sizeLimit else { throw .labelsTooLarge(limit: Self.sizeLimit) }
    var count = 0
    jsonLines.withBytes { text in ASCII.forEachLine(in: text) { _, _ in count += 1 } }
    guard count > 0 else { throw .empty }
    compressed = try Self.compress(jsonLines)
    self.count = count
    uncompressedSize = jsonLines.count
    hash = ASCII.hex(jsonLines.withBytes { SHA256.hash($0) })
  }

  private static func compress(
    _ jsonLines: borrowing SecretBytes
  ) throws(WalletFormatError) -> SecretBytes {
    do {
      return try Zstd.compress(jsonLines)
    } catch {
      throw .labelsCompression
    }
  }

  /// Decompresses a record's labels, to at most ``sizeLimit`` bytes.
  ///
  /// The lines are returned unchanged; ``check(_:)`` tells whether they are labels.
  ///
  /// - Throws: ``WalletFormatError/labelsCompression`` for data that zstd rejects and for more than
  ///   the limit.
  public static func decompress(
    _ compressed: borrowing SecretBytes
  ) throws(WalletFormatError) -> SecretBytes {
    do {
      return try Zstd.decompress(compressed, limit: sizeLimit)
    } catch {
      throw .labelsCompression
    }
  }

  /// Checks JSON lines and counts their labels.
  ///
  /// - Throws: ``WalletFormatError``: `labelsTooLarge`, `labelsLine`, `empty`.
  public static func check(
    _ jsonLines: borrowing SecretBytes
  ) throws(WalletFormatError) -> Int {
    guard jsonLines.count <= sizeLimit else { throw .labelsTooLarge(limit: sizeLimit) }
    var count = 0
    try jsonLines.withBytes { text throws(WalletFormatError) in
      try ASCII.forEachLine(in: text) { line, number throws(WalletFormatError) in
        do throws(LabelProblem) {
          try LabelLine.check(text.extracting(line))
        } catch {
          throw .labelsLine(number, error)
        }
        count += 1
      }
    }
    guard count > 0 else { throw .empty }
    return count
  }
}

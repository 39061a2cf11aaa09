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

  /// Checks a label file and compresses it.
  ///
  /// Every byte is kept, except for a byte order mark.
  ///
  /// - Throws: ``WalletFormatError``: `labelsTooLarge`, `labelsLine`; `empty`
  ///   for a file without a label.
  public init(checking jsonLines: borrowing SecretBytes) throws(WalletFormatError) {
    let hasMark = jsonLines.withBytes { $0.starts(with: [0xEF, 0xBB, 0xBF], at: 0) }
    if hasMark {
      try self.init(withoutMark: jsonLines.copy(3..<jsonLines.count))
    } else {
      try self.init(withoutMark: jsonLines)
    }
  }

  private init(withoutMark jsonLines: borrowing SecretBytes) throws(WalletFormatError) {
    let count = try Self.check(jsonLines)
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
    let count = try jsonLines.withBytes { text throws(WalletFormatError) in
      var count = 0
      var number = 0
      var start = 0
      while start < text.byteCount {
        var end = start
        while end < text.byteCount, text.byte(end) != 0x0A { end += 1 }
        number += 1
        let line = text.extracting(start..<end)
        if !ASCII.trimmed(line).isEmpty {
          try check(line, number: number)
          count += 1
        }
        start = end + 1
      }
      return count
    }
    guard count > 0 else { throw .empty }
    return count
  }

  private static func check(_ line: RawSpan, number: Int) throws(WalletFormatError) {
    do {
      try LabelLine.check(line)
    } catch {
      throw .labelsLine(number, error)
    }
  }
}

internal import CSPP
public import SecretMemory

/// Writes the input of Bitcoin Core's `importdescriptors`: a JSON array of requests.
public struct DescriptorListWriter: ~Copyable {
  private var text = SecretWriter()
  /// The number of descriptors written.
  public private(set) var count = 0

  /// The number of addresses watched in advance, which is Bitcoin Core's own default.
  private static let range = 999

  /// Starts an empty list.
  public init() { text.raw("[") }

  /// Adds a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: with or without a checksum; each branch of a multipath descriptor becomes its
  ///     own request.
  ///   - isInternal: whether its addresses are for change; the second branch of a multipath
  ///     descriptor always is.
  ///   - timestamp: the time in Unix seconds from which the chain is searched.
  /// - Throws: as ``Descriptor/init(checking:)``.
  public mutating func append(
    _ descriptor: borrowing SecretBytes, isInternal: Bool = false, timestamp: UInt64
  ) throws(WalletFormatError) {
    let descriptor = try Descriptor(checking: descriptor)
    for index in 0..<descriptor.branchCount {
      append(
        descriptor.branch(index), of: descriptor.function,
        isInternal: isInternal || descriptor.branchCount == 2 && index == 1, timestamp)
    }
  }

  private mutating func append(
    _ descriptor: consuming SecretBytes, of function: String, isInternal: Bool, _ timestamp: UInt64
  ) {
    let isRanged = descriptor.withBytes { text in
      (0..<text.byteCount).contains { text.byte($0) == 0x2A }
    }
    text.raw((count > 0 ? "," : "") + "\n  {\"desc\": ")
    descriptor.withBytes { text.string($0) }
    text.raw(", \"timestamp\": \(timestamp)")
    if isRanged {
      // Bitcoin Core generates addresses from these functions by itself.
      let isActive = ["pkh", "sh", "wpkh", "wsh", "tr"].contains(function)
      text.raw(", \"range\": [0, \(Self.range)], \"active\": \(isActive)")
    }
    text.raw(", \"internal\": \(isInternal)}")
    count += 1
  }

  /// The JSON, with a line end.
  public consuming func finish() -> SecretBytes {
    text.raw("\n]\n")
    return text.finish()
  }
}

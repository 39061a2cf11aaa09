/// The largest files that are read, checked before anything is parsed.
public struct SizeLimits: Equatable, Sendable {
  /// The limit of a master-key envelope or a file of `keys/`, in bytes: 64 KiB.
  public var wrapper = 64 * 1024
  /// The limit of a wallet envelope, in bytes: 16 MiB.
  public var record = 16 * 1024 * 1024
  /// The limit of an operation, in bytes: 64 MiB.
  public var operation = 64 * 1024 * 1024

  /// The limit of a sealed operation, in bytes: 24 MiB.
  public var sealedOperation = 24 * 1024 * 1024

  /// The limits stated in the format's text.
  public static let standard = SizeLimits()

  /// The limit of one wallet's labels, uncompressed, in bytes: 10 MiB.
  public static let labels = 10 * 1024 * 1024

  /// The limit of a file's contents, in bytes: 1 TiB.
  public static let file: UInt64 = 1 << 40
  /// The limit of contents that lie in the operation itself, in bytes: 2 KiB.
  public static let inlineFile = 2 * 1024

  /// Creates the format's own limits, to be changed field by field.
  public init() {}

  /// Throws if a file is too large.
  ///
  /// Sizes beyond 2 GiB are always rejected, because positions in a text are stored in 32 bits.
  static func check(_ size: Int, _ limit: Int) throws(CSPPError) {
    guard size <= min(limit, Int(Int32.max)) else { throw .tooLarge(limit: limit) }
  }
}

extension Sequence<UInt64> {
  /// The sum of sizes that others claim, in bytes: at most 2^62, whatever they claim.
  public func sumOfClaims() -> UInt64 {
    reduce(0) { Swift.min($0 + Swift.min($1, SizeLimits.file), 1 << 62) }
  }
}

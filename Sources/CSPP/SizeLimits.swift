/// Largest files that are read, checked before anything is parsed.
public struct SizeLimits: Equatable, Sendable {
  /// A master-key envelope or a file of `keys/`, in bytes: 64 KiB.
  public var wrapper = 64 * 1024
  /// A wallet envelope, in bytes: 16 MiB.
  public var record = 16 * 1024 * 1024
  /// An operation, in bytes: 64 MiB.
  public var operation = 64 * 1024 * 1024

  /// The limits of the format's text.
  public static let standard = SizeLimits()

  /// Labels of one wallet, uncompressed, in bytes: 10 MiB.
  public static let labels = 10 * 1024 * 1024

  /// The format's own limits, to be changed field by field.
  public init() {}

  /// Refuses a file that is too large.
  ///
  /// Sizes beyond 2 GiB are refused whatever the limit is, because places in a
  /// text are kept in 32 bits.
  static func check(_ size: Int, _ limit: Int) throws(CSPPError) {
    guard size <= min(limit, Int(Int32.max)) else { throw .tooLarge(limit: limit) }
  }
}

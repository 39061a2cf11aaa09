public import CSPP

/// The computer that logged a version of a wallet first or added it without the key, or that
/// removed the wallet.
public struct VersionOrigin: Equatable, Sendable {
  /// The computer.
  public let writer: WriterID
  /// The computer's name for people.
  public let label: String
  /// The time by its own clock, in Unix seconds.
  public let at: UInt64
  /// Whether it only found the version: another program wrote it, or a computer without a key.
  public let isFound: Bool
}

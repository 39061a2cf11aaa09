public import CSPP

/// A version of a wallet that no longer counts, and that the log keeps.
public struct PastVersion: Equatable, Sendable {
  /// The reason why a version no longer counts.
  public enum Ending: String, Equatable, Sendable {
    /// Another version took its place.
    case replaced
    /// The wallet was removed.
    case removed
  }

  /// The wallet's record.
  public let recordID: RecordID
  /// The ID of its bytes; versions with equal bytes are one.
  public let id: VersionID
  /// The parsed entry; its ranges refer to the bytes passed with it.
  public let entry: WalletEntry
  /// The reason why it no longer counts.
  public let ending: Ending
  /// The computer that removed the wallet; nil where the version was replaced.
  ///
  /// Time and name are claims of that computer.
  public let removal: VersionOrigin?
  /// The computer that logged it first; time and name are claims of that computer.
  public let origin: VersionOrigin
}

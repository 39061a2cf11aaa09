/// The delay of a login account's releases, so that the owner can notice and veto one.
public struct ReleaseDelay: Hashable, Sendable {
  /// The delays that an account may have, in seconds: none to 30 days.
  public static let seconds: ClosedRange<UInt64> = 0...2_592_000

  /// The seconds from the start of a release until it can be collected.
  public let delay: UInt64

  /// Checks a delay in seconds; nil outside ``seconds``.
  public init?(of delay: UInt64) {
    guard Self.seconds.contains(delay) else { return nil }
    self.delay = delay
  }
}

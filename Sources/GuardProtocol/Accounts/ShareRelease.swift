public import CSPP

extension ReleaseDelay {
  /// The seconds for which a release can be collected: 48 hours.
  public static let window: UInt64 = 172_800

  /// Checks a delay.
  ///
  /// - Parameter delay: in seconds; by default 24 hours.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)``.
  public init(_ delay: UInt64 = 86_400) throws(GuardProtocolError) {
    guard let checked = Self(of: delay) else { throw .invalidParameter("delay") }
    self = checked
  }
}

/// A release of a login account's share to one session key.
public struct ShareRelease: Hashable, Sendable {
  /// The session key, to which the share is sealed.
  public let sessionKey: X25519Key
  /// The time of its start, in Unix seconds.
  public let start: UInt64
  /// The account's delay.
  public let delay: ReleaseDelay
  /// The sealed share, once it was collected: each time the same bytes.
  public internal(set) var sealed: [UInt8]?

  /// Takes up a stored release.
  public init(
    sessionKey: X25519Key, start: UInt64, delay: ReleaseDelay, sealed: [UInt8]? = nil
  ) {
    self.sessionKey = sessionKey
    // Far from the end of the numbers, so that sums hold.
    self.start = min(start, UInt64(Int64.max))
    self.delay = delay
    self.sealed = sealed
  }

  /// Its ID, the same at all guards.
  public var id: ReleaseID { ReleaseID(of: sessionKey) }
  /// The first second in which it can be collected.
  public var notBefore: UInt64 { start + delay.delay }
  /// The first second in which it no longer can.
  public var end: UInt64 { notBefore + ReleaseDelay.window }
}

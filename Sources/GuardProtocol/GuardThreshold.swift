/// The number of guards of a way in, and how many of them suffice.
///
/// More than half must be needed: else two groups of guards could each open it, and a client that
/// reaches half of them could not tell which half is true.
public struct GuardThreshold: Equatable, Sendable {
  /// The most guards of one way in.
  public static let maximumGuards = 16

  /// The number of guards, 1 to 16.
  public let guards: Int
  /// How many of them suffice: more than half.
  public let needed: Int

  /// Checks both numbers.
  ///
  /// - Throws: ``GuardProtocolError/invalidThreshold``.
  public init(guards: Int, needed: Int) throws(GuardProtocolError) {
    guard (1...Self.maximumGuards).contains(guards), needed <= guards, needed > guards / 2 else {
      throw .invalidThreshold
    }
    self.guards = guards
    self.needed = needed
  }

  /// The number of guards without which nothing can be opened: as many must confirm a veto.
  public var blocking: Int { guards - needed + 1 }

  /// The most PINs that an attacker can try between two successes of the owner.
  ///
  /// A guess needs one try at each of `needed - attackers` honest guards, and there are `guards -
  /// attackers` of these with `tries` each.
  ///
  /// - Parameters:
  ///   - tries: the tries of one guard's schedule, ``DelaySchedule/tries``.
  ///   - attackers: the guards that are the attacker's own; fewer than `needed`.
  /// - Returns: the number of PINs.
  /// - Throws: ``GuardProtocolError/invalidParameter(_:)``.
  public func guesses(tries: Int, attackers: Int = 0) throws(GuardProtocolError) -> Int {
    guard (0..<needed).contains(attackers) else { throw .invalidParameter("attackers") }
    guard (0...1_000_000).contains(tries) else { throw .invalidParameter("tries") }
    return (guards - attackers) * tries / (needed - attackers)
  }
}

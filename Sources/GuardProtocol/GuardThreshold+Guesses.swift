public import CSPP

extension GuardThreshold {
  /// Checks both numbers.
  ///
  /// - Throws: ``GuardProtocolError/invalidThreshold``.
  public init(guards: Int, needed: Int) throws(GuardProtocolError) {
    guard let checked = Self(of: guards, needing: needed) else { throw .invalidThreshold }
    self = checked
  }

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

// This folder is for what headers say of guards: IDs, addresses, numbers, bounds. It knows no file,
// and not how a client talks to a guard (GuardProtocol).

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

  /// Checks both numbers; nil unless there are 1 to 16 guards, and more than half are needed.
  ///
  /// - Parameters:
  ///   - guards: the number of guards.
  ///   - needed: how many of them suffice.
  public init?(of guards: Int, needing needed: Int) {
    guard (1...Self.maximumGuards).contains(guards), needed <= guards, needed > guards / 2 else {
      return nil
    }
    self.guards = guards
    self.needed = needed
  }

  /// The number of guards without which nothing can be opened: as many must confirm a veto.
  public var blocking: Int { guards - needed + 1 }
}

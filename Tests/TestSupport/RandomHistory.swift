/// A random sequence of steps that a seed determines.
///
/// Each step has its own random numbers, so that omitting one leaves the others unchanged.
public protocol RandomHistory: Sendable, CustomStringConvertible {
  /// The events that may happen.
  associatedtype Kind: RawRepresentable<String>, CaseIterable, Sendable

  /// The kind of events.
  var kind: Kind { get }
  /// The seed, which determines everything.
  var seed: UInt64 { get }
  /// The numbers of the steps that are taken.
  var steps: [Int] { get set }

  /// Creates the history of a kind from a seed.
  init(_ kind: Kind, seed: UInt64)
}

extension RandomHistory {
  /// The values needed to play it again.
  public var description: String { "kind \(kind.rawValue), seed \(seed), steps \(steps)" }

  /// A shorter history that is bad too, found by omitting steps.
  ///
  /// - Parameter isBad: plays a history; true: it ends as badly as this one.
  /// - Returns: the shortest that was found.
  public func shrunk(while isBad: (Self) -> Bool) -> Self {
    var best = self
    var size = max(1, steps.count / 2)
    while true {
      var (place, changed) = (0, false)
      while place < best.steps.count {
        var shorter = best
        shorter.steps.removeSubrange(place..<min(place + size, best.steps.count))
        if isBad(shorter) {
          best = shorter
          changed = true
        } else {
          place += size
        }
      }
      if size == 1, !changed { return best }
      size = max(1, size / 2)
    }
  }
}

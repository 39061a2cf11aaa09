public import CSPP

/// Whether the logs are whole, and the newest this computer has seen.
public struct LogHealth: Equatable, Sendable {
  /// Operations of all computers that were opened.
  public var operations = 0
  /// Computers (or reinstallations) that have written.
  public var writers = 0
  /// Operations that were opened here before and are no longer there.
  public var rolledBack = 0
  /// Operations that others name, or that stand here empty, and that are not
  /// here yet.
  public var incomplete = 0
  /// Counters that two different operations of one writer claim, and
  /// references that an operation contradicts.
  public var forked = 0
  /// The computers whose operations ``rolledBack`` counts.
  public var rolledBackBy: [WriterID: Int] = [:]
  /// The computers whose logs ``forked`` speaks of.
  public var forkedWriters: Set<WriterID> = []
  /// Operations of retired computers that their retirement did not know of;
  /// only opened operations tell.
  public var afterRetirement = 0
  /// The namespace that follows this one, whose master key was given up; only
  /// opened operations tell.
  public var successor: NamespaceID?
  /// Whether this computer remembered anything of the namespace; if not, it
  /// cannot tell whether what it sees is the newest.
  public var isFreshnessKnown = false
  /// A short word made of all writers' last operations: equal on computers
  /// that see the same.
  public var freshness = ""

  /// Nothing was read.
  public init() {}
}

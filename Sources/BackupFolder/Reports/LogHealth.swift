public import CSPP

/// The state of the logs: whether they are whole and the newest this computer has seen.
public struct LogHealth: Equatable, Sendable {
  /// The number of opened operations of all computers.
  public var operations = 0
  /// The number of computers (or reinstallations) that have written.
  public var writers = 0
  /// The number of operations that were opened here before and are missing now.
  public var rolledBack = 0
  /// The number of operations that are not here yet: others name them, or their files are empty.
  public var incomplete = 0
  /// The number of counters that two different operations of one writer claim, and of references
  /// that an operation contradicts.
  public var forked = 0
  /// The number of rolled-back operations by computer; see ``rolledBack``.
  public var rolledBackBy: [WriterID: Int] = [:]
  /// The computers whose logs are forked; see ``forked``.
  public var forkedWriters: Set<WriterID> = []
  /// The number of operations of retired computers that their retirement did not know; known only
  /// from opened operations.
  public var afterRetirement = 0
  /// The successor of this namespace, whose master key was given up; known only from opened
  /// operations.
  public var successor: NamespaceID?
  /// The namespace of another rotation of the same backup, or of one before it, that no available
  /// key slot opened: what was written there is not shown.
  ///
  /// A claim: anyone who once had the master key that was rotated could have made it.
  public var unreadRotation: NamespaceID?
  /// Whether this computer remembered anything of the namespace.
  ///
  /// If not, it cannot tell whether the logs are the newest.
  public var isFreshnessKnown = false
  /// The copies of the backup at other paths that have changes which are missing here.
  public var copies: [OtherCopy] = []
  /// The copies at other paths that are gone, with the rolled-back operations that they had.
  public var lostCopies: [OtherCopy] = []
  /// A short word made from all writers' last operations; computers that see the same have the same
  /// word.
  public var freshness = ""

  /// Creates the value for logs that were not read.
  public init() {}
}

/// A copy of the backup at another path of this computer.
public struct OtherCopy: Equatable, Sendable {
  /// Its path; nil where this computer remembers the copy, and not its path.
  public let path: String?
  /// The number of changes that it has, and that are missing here.
  public let operations: Int
}

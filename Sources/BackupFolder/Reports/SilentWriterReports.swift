public import CSPP

/// A silent writer as the log and its sealed operations show it.
public struct SilentWriterStatus: Equatable, Sendable {
  /// Its ID, key, label and permissions, as authorised.
  public let writer: SilentWriter
  /// The operation that authorised it.
  public let authorised: Operation.Seen
  /// The time of that operation by its writer's clock, in Unix seconds.
  public let authorisedAt: UInt64
  /// Whether its key was retired.
  public internal(set) var isRetired = false
  /// The number of its operations that are here and count.
  public internal(set) var operations = 0
  /// The time of the newest one by the silent writer's clock, in Unix seconds.
  public internal(set) var newest: UInt64?
  /// Whether an operation is not here that a later one follows, or that another computer has seen.
  public internal(set) var hasGap = false
  /// Whether one that is here follows one that is not.
  public internal(set) var followsMissing = false
  /// The number of operations that were opened here before and are gone.
  public internal(set) var missing = 0
  /// The number of its files that are empty, cut off or placeholders.
  public internal(set) var incomplete = 0
  /// Whether it was authorised only before the master key was rotated.
  ///
  /// What it writes is late, until it is authorised again.
  public internal(set) var isBehind = false
  /// The number of operations that a retirement of its key holds back.
  public internal(set) var heldBack = 0
  /// The number of those on which nobody has decided.
  public internal(set) var undecided = 0

  /// Whether operations of it are named, or were here, and are not here.
  ///
  /// An earlier backup may have been deleted, but for what has to stay. There only what is here tells.
  public var lacksChanges: Bool {
    isBehind
      ? followsMissing && !isRetired : hasGap || followsMissing || missing + incomplete > 0
  }

  /// Creates the status of a writer without operations.
  init(writer: SilentWriter, authorised: Operation.Seen, authorisedAt: UInt64) {
    self.writer = writer
    self.authorised = authorised
    self.authorisedAt = authorisedAt
  }
}

/// The reason why a silent writer cannot be authorised, retired or used.
public enum SilentWriterObstacle: Equatable, Sendable {
  /// The request or answer is no valid line.
  case line(AuthorisingLineMistake)
  /// The request's signing key is authorised already.
  case alreadyAuthorised
  /// The request's signing key was retired, and never returns.
  case retired
  /// Somebody has used the request's writer ID.
  case writerIDUsed
  /// No silent writer here has this key.
  case noSuchWriter
  /// This computer made no request that the answer fits.
  case noRequest
  /// The answer to this computer's request was not given to it yet.
  case notAccepted
  /// The writer was authorised without permission for such changes.
  case notPermitted
  /// This computer added the wallet before.
  case walletAdded(RecordID)
  /// The folder does not hold the namespace for which the writer was authorised.
  case noNamespace(NamespaceID)
}

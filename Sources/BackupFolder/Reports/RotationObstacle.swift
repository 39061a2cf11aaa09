public import CSPP

/// The reason why a namespace's master key cannot be rotated now.
public enum RotationObstacle: Equatable, Sendable {
  /// Something is missing or contradictory and would be left behind.
  case notWhole
  /// Operations or contents of files are missing; a person may go on without them.
  case filesMissing
  /// Something was written meanwhile that the interrupted run cannot take along; the next one can.
  case changed
  /// A newer program wrote changes that this version would leave behind.
  case newerProgram
  /// The master key was rotated already.
  case moved(to: NamespaceID)
  /// An unfinished rotation of this computer began with another key slot, and another computer has
  /// written into its namespace.
  case unfinished(NamespaceID)
  /// An unfinished rotation of this computer has contents of files that are nowhere else.
  case onlyCopies(NamespaceID)
  /// The written contents could not be read back correctly.
  case notVerified
}

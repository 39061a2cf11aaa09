public import CSPP

/// Why a namespace's master key cannot be rotated now.
public enum RotationObstacle: Equatable, Sendable {
  /// Something is missing or contradicts itself: it would be left behind.
  case notWhole
  /// A newer program wrote changes that this one would leave behind.
  case newerProgram
  /// It was rotated already.
  case moved(to: NamespaceID)
  /// An unfinished rotation of this computer began with another key slot, and
  /// another computer has written into what it made.
  case unfinished(NamespaceID)
  /// What was written did not come back as it should.
  case notVerified
}

internal import PRFDevice
internal import Synchronization

/// Detects whether a security key was connected that was not before.
///
/// It remembers keys that were disconnected, so that one plugged in again counts.
final class NewcomerCheck: Sendable {
  private let known: Mutex<Set<AuthenticatorDescriptor>>
  private let path: String?

  /// - Parameters:
  ///   - known: the keys that do not count while they stay connected.
  ///   - path: the only path that counts; nil for any.
  init(known: Set<AuthenticatorDescriptor>, path: String?) {
    self.known = Mutex(known)
    self.path = path
  }

  func isAny(in connected: [AuthenticatorDescriptor]) -> Bool {
    let relevant = connected.filter { path == nil || $0.path == path }
    return known.withLock { known in
      known.formIntersection(relevant)
      return !known.isSuperset(of: relevant)
    }
  }
}

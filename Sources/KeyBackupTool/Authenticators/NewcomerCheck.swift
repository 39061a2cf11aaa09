internal import PRFDevice
internal import Synchronization

/// Tells whether a security key has come that was not there before; remembers
/// those that went, so that one plugged in again counts.
final class NewcomerCheck: Sendable {
  private let known: Mutex<Set<AuthenticatorDescriptor>>
  private let path: String?

  /// - Parameters:
  ///   - known: the keys that do not count while they stay.
  ///   - path: the only place that counts; nil: any.
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

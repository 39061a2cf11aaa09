internal import PRFDevice
internal import Synchronization

/// What security keys are called on screen: those of one model that are in reach at the
/// same time are told apart by where they are.
final class KeyNames: Sendable {
  private let inReach = Mutex<[AuthenticatorDescriptor]>([])

  /// Takes note of what is in reach.
  ///
  /// - Parameters:
  ///   - found: the keys.
  ///   - cards: whether those on readers were looked for.
  func note(_ found: [AuthenticatorDescriptor], cards: Bool = true) {
    inReach.withLock { known in
      known = found + (cards ? [] : known.filter(\.isOnReader))
    }
  }

  /// What one of them is called.
  func name(of descriptor: AuthenticatorDescriptor) -> String {
    let name = OpenAuthenticator.name(of: descriptor)
    let hasTwin = inReach.withLock { known in
      known.contains { $0.path != descriptor.path && OpenAuthenticator.name(of: $0) == name }
    }
    return hasTwin ? OpenAuthenticator.name(of: descriptor, telling: true) : name
  }
}

package import PRFDevice
internal import Synchronization

/// The names of security keys on screen; connected keys of one model are distinguished by their
/// place.
package final class KeyNames: Sendable {
  private let inReach = Mutex<[AuthenticatorDescriptor]>([])

  /// Records the connected keys.
  ///
  /// - Parameters:
  ///   - found: the keys.
  ///   - cards: whether keys on readers were included.
  package func note(_ found: [AuthenticatorDescriptor], cards: Bool = true) {
    inReach.withLock { known in
      known = found + (cards ? [] : known.filter(\.isOnReader))
    }
  }

  /// The name of one of them.
  package func name(of descriptor: AuthenticatorDescriptor) -> String {
    let name = OpenAuthenticator.name(of: descriptor)
    let hasTwin = inReach.withLock { known in
      known.contains { $0.path != descriptor.path && OpenAuthenticator.name(of: $0) == name }
    }
    return hasTwin ? OpenAuthenticator.name(of: descriptor, telling: true) : name
  }
}

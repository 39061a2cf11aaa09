internal import PRFDevice
internal import Synchronization

/// The PINs that security keys refused during this command; none is sent to the same key again.
final class RefusedPINs: Sendable {
  private let byPath = Mutex<[String: [PIN]]>([:])

  /// Whether the key at `path` has refused this PIN.
  func contains(_ pin: PIN, at path: String) -> Bool {
    byPath.withLock { $0[path]?.contains { $0.isEqual(to: pin) } ?? false }
  }

  /// Remembers that the key at `path` has refused this PIN.
  func insert(_ pin: PIN, at path: String) {
    byPath.withLock { $0[path, default: []].append(pin) }
  }
}

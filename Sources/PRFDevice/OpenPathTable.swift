internal import Synchronization

/// The values that libfido2 is about to open.
///
/// It passes only a path to an open function, so the value is found by a generated path.
final class OpenPathTable<Value: Sendable>: Sendable {
  private let prefix: String
  private let values = Mutex<(next: Int, entries: [String: Value])>((0, [:]))

  init(prefix: String) { self.prefix = prefix }

  /// The path under which libfido2 opens the value.
  func register(_ value: Value) -> String {
    values.withLock { table in
      table.next += 1
      let path = "\(prefix)\(table.next)"
      table.entries[path] = value
      return path
    }
  }

  func unregister(_ path: String) {
    values.withLock { _ = $0.entries.removeValue(forKey: path) }
  }

  func find(_ path: String) -> Value? {
    values.withLock { $0.entries[path] }
  }
}

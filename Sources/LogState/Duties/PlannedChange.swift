// This folder is for what a writer has to say: each duty of docs/format.md is a function of the state
// that gives changes. Nothing is written here. Who writes fetches the bytes, makes marks and keys, and
// asks again under the lock.

public import CSPP

/// A change that a writer is about to make.
public enum PlannedChange: Hashable, Sendable {
  /// Adds a version again, byte for byte, with its author and what it is a copy of.
  case again(ItemVersion)
  /// Adds the contents of a version under a fresh mark or object key.
  case copy(ItemVersion, by: SigningKey?, of: VersionName?)
  /// A box for a key slot that has no file in the current namespace.
  case box(KeyID)
  /// Any other change, as it is.
  case other(Change)
}

extension Sequence<VersionName> {
  /// The changes that end these versions.
  var ends: [PlannedChange] { map { .other(.end($0)) } }
}

extension LogState {
  /// The versions that operations which count add, without those that only view files hold.
  var logged: Set<VersionName> {
    contents.operations.reduce(into: []) { names, operation in
      guard counting.contains(operation.namespace) else { return }
      for case .add(let version) in operation.changes { names.insert(version.name) }
    }
  }

  /// W7: the versions that only view files hold are logged before or with their end.
  func logging(_ versions: Set<ItemVersion>) -> [PlannedChange] {
    let unlogged = versions.filter { items[$0.item]?.ordinary.contains($0) == true }
    if unlogged.isEmpty { return [] }
    let logged = logged
    return unlogged.filter { !logged.contains($0.name) }.map { .again($0) }
  }
}

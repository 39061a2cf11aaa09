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

// W5: an earlier namespace is deleted by a person, once nothing in it is needed.

public import CSPP

/// The things to wait for, and to do, before an earlier namespace is deleted.
public struct DeletionPlan: Sendable {
  /// Versions that it offers.
  public let offers: Set<ItemVersion>
  /// Live versions that nothing else holds.
  public let live: Set<ItemVersion>
  /// Operations that are missing: of its ordinary chains, or of a silent writer that counts.
  public let missing: Set<OperationID>
  /// Whether something is told, or a sealed operation waits for its key.
  public let isTold: Bool
  /// Whether the current namespace is not whole.
  public let isHalf: Bool
  /// Other backups that took it over, and that nobody took in or answered.
  public let takers: Set<NamespaceID>
  /// Old versions of files that are added and ended first, since nothing else holds them.
  public let copies: [PlannedChange]

  /// Whether nothing has to be waited for.
  public var mayGo: Bool {
    offers.isEmpty && live.isEmpty && missing.isEmpty && !isTold && !isHalf && takers.isEmpty
  }
}

extension LogState {
  /// Plans the deletion of an earlier namespace.
  ///
  /// Its sealed operations are copied first, and its objects but those that only dropped versions
  /// name.
  ///
  /// - Parameters:
  ///   - namespace: an earlier namespace.
  ///   - opened: the namespaces that open.
  ///   - memory: what this computer remembers.
  /// - Returns: what has to happen before.
  public func deleting(
    _ namespace: NamespaceID, opened: Set<NamespaceID>, _ memory: Remembered
  ) -> DeletionPlan {
    var gone: Set<ItemVersion> = []
    var kept: Set<ItemVersion> = []
    var logged: Set<ItemVersion> = []
    for operation in contents.operations {
      let added = operation.changes.compactMap { change in
        if case .add(let version) = change { version } else { nil }
      }
      if operation.namespace == namespace {
        gone.formUnion(added)
      } else if counting.contains(operation.namespace) {
        kept.formUnion(added)
        logged.formUnion(added)
      }
    }
    for operation in contents.sealed { kept.formUnion(operation.added) }
    let old = gone.filter { if case .file = $0.item { true } else { false } }
      .subtracting(logged).filter {
        settledNames.contains($0.name) && items[$0.item]?.history.contains($0) == true
      }
    for view in contents.views where view.namespace == namespace { gone.insert(view.version) }
    var missing: Set<OperationID> = []
    for (chain, names) in findings().missing {
      switch chain {
      case .ordinary(namespace, _): missing.formUnion(names)
      case .silent(_, let key) where writers[key] != nil: missing.formUnion(names)
      default: continue
      }
    }
    let takers = opened.filter {
      contents.earlier(than: $0).contains(namespace) && !reads($0)
        && memory.answers[.namespace($0)] == nil
    }
    return DeletionPlan(
      offers: gone.filter { items[$0.item]?.offered.contains($0) == true },
      live: gone.subtracting(kept).filter { items[$0.item]?.live.contains($0) == true },
      missing: missing, isTold: !told.isEmpty || !waiting.isEmpty,
      isHalf: !contents.isWhole(current), takers: takers,
      copies: old.map { .again($0) } + old.map(\.name).ends)
  }
}

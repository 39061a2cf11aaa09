// W2: what is live of a silent writer's own versions stays, and what it ended stays ended.

public import CSPP

extension LogState {
  /// Retires a silent writer, in two operations.
  ///
  /// The second has the retirement alone: what comes between them, a crash too, loses nothing.
  public func retiring(_ key: SigningKey) -> [[PlannedChange]] {
    let signed = contents.sealed.filter { $0.key == key && reads($0.namespace) }
    var own: Set<ItemVersion> = []
    var ended: Set<VersionName> = []
    for operation in signed {
      own.formUnion(operation.added.filter { $0.author == key && $0.copied == nil })
      ended.formUnion(operation.ended)
    }
    let kept = own.filter { items[$0.item]?.live.contains($0) == true }
    return [kept.map { .again($0) } + ended.ends, [.other(.retireWriter(key))]]
  }

  /// Whether a namespace is read: one that counts, or an earlier one.
  ///
  /// Any other is another backup.
  func reads(_ namespace: NamespaceID) -> Bool {
    counting.contains(namespace) || earlier.contains(namespace)
  }
}

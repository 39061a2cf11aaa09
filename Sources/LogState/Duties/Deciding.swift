// W1: every operation that ends a version adds one of the same item, unless a person removes the item.
// W2: what is live of a silent writer's own versions stays, and what it ended stays ended.

public import CSPP

extension LogState {
  /// All of an item that a person is shown when they decide: what is live, offered or set aside.
  private func shown(_ item: Item) -> Set<ItemVersion> {
    guard let state = items[item] else { return [] }
    return state.live.union(state.offered).union(state.aside)
  }

  /// The changes beside a new version of an item: nothing is decided by it.
  ///
  /// In a conflict it ends only the live versions that no silent writer made.
  public func replacing(_ item: Item) -> [PlannedChange] {
    guard let state = items[item] else { return [] }
    let ended =
      state.isConflict
      ? state.live.filter { $0.author == nil } : state.live.union(state.aside)
    return logging(ended) + ended.map(\.name).ends
  }

  /// Chooses a version: a live or offered one, one of the history, or another backup's.
  public func choosing(_ version: ItemVersion) -> [PlannedChange] {
    let shown = shown(version.item)
    let isLive = items[version.item]?.live.contains(version) == true
    return logging(shown) + [isLive ? copy(version) : .copy(version, by: nil, of: nil)]
      + shown.map(\.name).ends
  }

  /// Refuses what is offered of an item: what is live is chosen.
  ///
  /// If nothing is live, the item is removed.
  public func refusing(_ item: Item) -> [PlannedChange] {
    let shown = shown(item)
    var contents: Set<Digest> = []
    // Of equal contents, the one whose author is kept.
    let live = (items[item]?.live ?? []).sorted {
      (goesOn($0) ? 0 : 1, $0.name) < (goesOn($1) ? 0 : 1, $1.name)
    }
    let again = live.filter { contents.insert($0.contents).inserted }
    return logging(shown) + again.map(copy) + shown.map(\.name).ends
  }

  /// Removes an item.
  public func removing(_ item: Item) -> [PlannedChange] {
    let shown = shown(item)
    return logging(shown) + shown.map(\.name).ends
  }

  /// Refuses all that an earlier namespace, or a key that does not count, offers and tells.
  ///
  /// - Parameters:
  ///   - refusal: what is refused.
  ///   - known: silent writers that the person knows; those of them that only the namespace has
  ///     added are authorised.
  /// - Returns: the changes.
  public func refusing(
    _ refusal: Refusal, knowing known: Set<SigningKey> = []
  ) -> [PlannedChange] {
    var changes: [PlannedChange] = []
    if case .namespace(let namespace) = refusal {
      for operation in contents.operations where operation.namespace == namespace {
        for change in operation.changes {
          guard case .addWriter(let key, _, _, _) = change, known.contains(key),
            authorised[key] == nil
          else { continue }
          changes.append(.other(change))
        }
      }
    }
    return changes + [.other(.refuse(refusal))]
  }

  /// W6: drops versions.
  ///
  /// Only what an ordinary operation that counts has ended may be dropped.
  public func dropping(_ names: some Sequence<VersionName>) -> [PlannedChange] {
    names.filter(settledNames.contains).map { .other(.drop($0)) }
  }

  /// Whether a copy of a live version keeps its silent writer, so that this one can go on from it.
  private func goesOn(_ version: ItemVersion) -> Bool {
    guard case .file = version.item, let author = version.author else { return false }
    return !retired.contains(author)
  }

  /// A copy of a live version.
  private func copy(_ version: ItemVersion) -> PlannedChange {
    goesOn(version)
      ? .copy(version, by: version.author, of: version.copied ?? version.name)
      : .copy(version, by: nil, of: nil)
  }
}

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

// W1: every operation that ends a version adds one of the same item, unless a person removes the item.

public import CSPP

extension LogState {
  /// All of an item that a person is shown when they decide: what is live, offered or set aside.
  private func shown(_ item: Item) -> Set<ItemVersion> {
    guard let state = items[item] else { return [] }
    return state.live.union(state.offered).union(state.aside)
  }

  /// What a new version of an item ends: nothing is decided by it.
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

  /// W6: drops versions. Only what an ordinary operation that counts has ended may be dropped.
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

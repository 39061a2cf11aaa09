extension World {
  func checkRemembered(_ reading: Reading) {
    for name in truth.remembered.sorted() where !isPublished[name] {
      let isDisturbed = silents.contains { silent in
        operations[name].author == .silent(silent.index) && silent.isDisturbed
      }
      if !isDisturbed { violate("\(name) was remembered, and is lost by a crash") }
    }
  }

  /// Whether an operation is in the folder.
  func isHere(_ name: Name) -> Bool { isPublished[name] && !truth.destroyed.contains(name) }

  private func isShownHeldBack(_ name: Name, _ reading: Reading) -> Bool {
    rules.hold(.heldBackShown) && reading.heldBack.contains { $0.made == name }
  }

  func checkVersions(_ reading: Reading) {
    for (name, version) in truth.versions.sorted(by: { $0.key < $1.key })
    where version.author.isHonest && isHere(name) {
      let places = reading.versions.indices.filter { reading.versions[$0].made == name }
      let isLive = places.contains { reading.live(version.file).contains($0) }
      if isLive {
        checkObject(name, version, reading, isLive: true)
        continue
      }
      if isShownHeldBack(name, reading) {
        checkObject(name, version, reading, isLive: false)
        continue
      }
      if !isReplacedKnowingly(name, version, reading) { violate("\(name) is lost") }
      checkObject(name, version, reading, isLive: false)
    }
  }

  /// The versions that a maker meant to replace; a silent writer's also through its own ones.
  private func meant(by name: Name) -> Set<Name> {
    var meant = truth.meant[name, default: []]
    guard case .silent = operations[name].author else { return meant }
    var next = meant.sorted()
    while let own = next.popLast() {
      guard own >= 0, operations[own].author == operations[name].author else { continue }
      let more = truth.meant[own, default: []].subtracting(meant)
      meant.formUnion(more)
      next += more.sorted()
    }
    return meant
  }

  private func isReplacedKnowingly(
    _ name: Name, _ version: Truth.Made, _ reading: Reading
  ) -> Bool {
    truth.meant.keys.contains { other in
      guard isPublished[other], meant(by: other).contains(name) else { return false }
      if reading.heldBack.contains(where: { $0.made == other }) { return false }
      switch operations[other].author {
      case .person, .silent: return true
      case .thief: return operations[other].key == version.key && version.key != nil
      case .formerKey, .outsider: return false
      }
    }
  }

  private func checkObject(
    _ name: Name, _ version: Truth.Made, _ reading: Reading, isLive: Bool
  ) {
    let object = version.object
    if truth.destroyedObjects.contains(object) { return }
    let isInPlace = objects.contains(ObjectPlace(namespace: reading.namespace, object: object))
    let isBefore = objects.contains(ObjectPlace(namespace: 0, object: object))
    if !isInPlace, !isBefore, isLive || !truth.dropped.contains(object) {
      let held = truth.dropped.contains(object) && !wasChosenBeforeDrop(object)
      if !held { violate("\(name) is \(isLive ? "live" : "replaced"), and its object is gone") }
    }
    let isOwn = reading.versions.contains { $0.made == name && !$0.isLate }
    if isLive, isOwn, !isInPlace, isBefore, !truth.uncopied.contains(object),
      !truth.dropped.contains(object)
    {
      violate("\(name) is live, and its object was not copied")
    }
  }

  /// Whether a version was chosen again before its object was dropped by somebody who did not know.
  private func wasChosenBeforeDrop(_ object: Int) -> Bool {
    let drop = operations.indices.first { name in
      operations[name].changes.contains {
        if case .fileDrop(let objects) = $0 { objects.contains(object) } else { false }
      } && operations[name].author.isHonest
    }
    guard let drop else { return false }
    return operations.indices.contains { name in
      name < drop && !operations[name].isSealed && !operations[name].isFinding
        && operations[name].author.isHonest
        && operations[name].changes.contains {
          if case .filePut(let put) = $0 { put.object == object && put.made != nil } else { false }
        }
    }
  }

  /// A file that nobody removed has a live version, or one that is held back.
  func checkFiles(_ reading: Reading) {
    let files = Set(
      truth.versions.filter { $0.value.author.isHonest && isHere($0.key) }.values
        .map(\.file))
    for file in files.sorted() where reading.live(file).isEmpty {
      let isRemoved = truth.removed[file, default: []].contains { name in
        isPublished[name]
          && (operations[name].author.isHonest
            || operations[name].key.map { truth.stolen.contains($0) } == true)
      }
      let isHeld = reading.heldBack.contains { $0.file == file } && rules.hold(.heldBackShown)
      if !isRemoved, !isHeld, truth.destroyed.isEmpty {
        violate("no version of file \(file) is live, and nobody removed it")
      }
    }
  }

  func checkWallets(_ reading: Reading) {
    let states = (0..<World.records).map { reading.wallet($0) }
    for (entry, made) in truth.entries.sorted(by: { $0.key < $1.key })
    where made.author.isHonest && isHere(made.by) {
      let state = states[made.record]
      if state.live.union(state.proposals).contains(entry) { continue }
      if rules.hold(.heldBackShown), state.heldBack.contains(entry) { continue }
      if truth.endedEntries.contains(where: { $0.value.contains(entry) && isPublished[$0.key] }) {
        continue
      }
      violate("wallet entry \(entry) of \(made.by) is lost")
    }
  }
}

extension World {
  /// A person writes another version of a file.
  func edit(_ person: Int, file: Int) {
    guard let reading = adopt(person, file: file, open(person)) else { return }
    let live = reading.live(file).map { reading.versions[$0] }
    if Set(live.map(\.made)).count > 1 { return }
    let object = number()
    write(object, in: reading.namespace, at: persons[person].replica)
    let put = FilePut(
      file: file, content: object, object: object, isSmall: file % 2 == 0,
      replaces: names(of: live))
    let name = write([.filePut(put)], by: person, reading)
    truth.versions[name] = Truth.Made(
      file: file, author: .person(person), key: nil, object: object, isSmall: put.isSmall)
    truth.meant[name] = Set(live.map(\.made))
    discard(live, at: person)
    log("person \(person) edits: \(describe(name))")
  }

  /// The versions that a version's own operation replaces: of the same key only.
  private func predecessors(of version: Version, _ reading: Reading) -> [Version] {
    if version.by == nil { return [] }
    return (reading.versions + reading.heldBack).filter {
      version.replaces.contains($0.made) && $0.file == version.file && $0.by == version.by
        && $0.made != version.made
    }
  }

  /// Their names, wherever they were copied to.
  private func calls(_ versions: [Version]) -> [Name] {
    Set(versions.map(\.made) + versions.map(\.name)).sorted()
  }

  /// Whether something is missing that will still come: who waits long enough knows.
  func mustWait(_ reading: Reading) -> Bool {
    reading.missing.contains { $0 != unmade && !truth.destroyed.contains($0) }
  }

  /// What a person's operation calls the versions that it replaces.
  ///
  /// A finding is called by the operation that first had it, so that other findings of it go too.
  private func names(of versions: [Version]) -> [Name] {
    versions.map { $0.kind == .finding && rules.hold(.findings) ? $0.made : $0.name }
  }

  /// A person chooses one of the live versions of a file.
  func settle(_ person: Int, file: Int) {
    guard let reading = adopt(person, file: file, open(person)) else { return }
    let live = reading.live(file).map { reading.versions[$0] }
    guard let kept = live.randomElement(using: &random) else { return }
    let aside = live.filter { $0.made != kept.made }
    if aside.isEmpty { return }
    if mustWait(reading), rules.hold(.gapSettle) { return }
    let names = names(of: aside)
    var change = Change.fileSettle(file: file, replaces: names)
    if rules.hold(.settledByPut) { change = .filePut(copy(kept, replaces: names)) }
    let name = write([change], by: person, reading)
    note(choice: name, of: kept, aside: Set(aside.map(\.made)), by: person)
    truth.settled.append((name, file, Set(aside.map(\.made))))
    checkSettling(person, file: file)
    discard(aside, at: person)
    log("person \(person) settles for \(kept.made): \(describe(name))")
  }

  private func copy(_ version: Version, replaces: [Name]) -> FilePut {
    FilePut(
      file: version.file, content: version.content, object: version.object,
      isSmall: version.isSmall, made: rules.hold(.madeStays) ? version.made : nil,
      by: rules.hold(.madeStays) ? version.by : nil, replaces: replaces)
  }

  private func note(choice name: Name, of kept: Version, aside: Set<Name>, by person: Int) {
    truth.meant[name] = aside
    truth.chosen.insert(kept.made)
    if rules.lack(.madeStays) { truth.copies[name] = kept.made }
    if rules.lack(.madeStays) {
      truth.versions[name] = Truth.Made(
        file: kept.file, author: .person(person), key: nil, object: kept.object,
        isSmall: kept.isSmall)
      truth.meant[name] = aside.union([kept.made])
    }
  }

  /// Without rule 7, what is replaced goes.
  private func discard(_ versions: [Version], at person: Int) {
    if rules.hold(.restorable) { return }
    for version in versions {
      erase(version.object, in: version.namespace, at: persons[person].replica)
    }
  }

  /// A person accepts a version that a retirement holds back.
  func accept(_ person: Int) {
    let reading = open(person)
    guard let held = reading.heldBack.randomElement(using: &random) else { return }
    let own = predecessors(of: held, reading)
    if reading.namespace > held.namespace { copyObject(held.object, at: person) }
    let name = write([.filePut(copy(held, replaces: calls(own)))], by: person, reading)
    note(choice: name, of: held, aside: Set(own.map(\.made)), by: person)
    log("person \(person) accepts: \(describe(name))")
  }

  /// A person removes a file.
  func remove(_ person: Int, file: Int) {
    guard let reading = adopt(person, file: file, open(person)) else { return }
    let live = reading.live(file).map { reading.versions[$0] }
    if live.isEmpty { return }
    if mustWait(reading), rules.hold(.gapSettle) { return }
    let change = Change.fileRemove(file: file, replaces: names(of: live))
    let name = write([change], by: person, reading)
    truth.meant[name] = Set(live.map(\.made))
    truth.removed[file, default: []].append(name)
    discard(live, at: person)
    log("person \(person) removes: \(describe(name))")
  }

  /// A person retires a silent writer's key.
  func retire(_ person: Int, _ index: Int) {
    guard let state = silents[index].state else { return }
    let reading = open(person)
    if mustWait(reading), rules.hold(.gapRetire) { return }
    let change = Change.writerRetire(key: state.key, writer: state.writer)
    let name = write([change], by: person, reading)
    truth.retired[state.key, default: []].append(name)
    log("person \(person) retires key \(state.key): \(name)")
  }
}

extension World {
  /// Somebody without any secret, who can write to the folder.
  func outsiderActs() {
    let replica = Int.random(in: 0..<replicas.count, using: &random)
    let here = operations.indices.filter { isPublished[$0] }
    guard let name = here.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where operations[name].isSealed || isPlain(name):
      for index in replicas.indices { replicas[index].remove(name) }
      truth.destroyed.insert(name)
      log("somebody destroys \(name)")
    case 1, 2:
      withheld[replica].insert(name)
      replicas[replica].remove(name)
      log("somebody keeps \(name) from replica \(replica)")
    case 3:
      guard let place = objects.sorted().randomElement(using: &random) else { return }
      for index in replicas.indices { replicas[index].remove(place) }
      objects.remove(place)
      truth.destroyedObjects.insert(place.object)
      log("somebody destroys object \(place.object)")
    case 4:
      guard let place = removedObjects.sorted().randomElement(using: &random) else { return }
      write(place.object, in: place.namespace, at: replica)
      log("somebody puts object \(place.object) back")
    case 5 where operations[name].isSealed: respell(name, at: replica)
    case 6: forge(at: replica, as: .outsider)
    case 7: isRivalled = true
    default: break
    }
  }

  /// Whether an ordinary operation may be destroyed without destroying the proof of authority.
  private func isPlain(_ name: Name) -> Bool {
    operations[name].changes.allSatisfy {
      switch $0 {
      case .writerRetire, .from, .moved, .writerAdd, .fileDrop: false
      default: operations[name].namespace == 0
      }
    }
  }

  private func respell(_ name: Name, at replica: Int) {
    let old = operations[name]
    let copy = make(
      Operation(
        namespace: old.namespace, writer: old.writer, key: old.key, signature: old.signature,
        counter: old.counter, previous: old.previous, after: old.after, changes: old.changes,
        author: .outsider, copyOf: name))
    publish(copy, at: replica)
    log("somebody respells \(name) as \(copy)")
  }

  /// A sealed operation under an honest writer's name, signed by nobody or by another key.
  private func forge(at replica: Int, as author: Author, key: Int? = nil) {
    guard let victim = silents.randomElement(using: &random)?.state else { return }
    let own = operations.indices.filter { operations[$0].writer == victim.writer }
    let followed = own.randomElement(using: &random)
    let name = make(
      Operation(
        namespace: victim.namespace, writer: victim.writer, key: victim.key, signature: key,
        counter: (followed.map { operations[$0].counter } ?? 0) + (chance(0.5) ? 1 : 3),
        previous: chance(0.5) ? followed : unmade, after: victim.authorisation,
        changes: [evilPut(files: victim.files, by: nil)], author: author))
    note(evil: name)
    publish(name, at: replica)
    log("forged: \(describe(name))")
  }

  /// Somebody who has everything of a silent computer.
  func thiefActs() {
    guard let state = thefts.randomElement(using: &random) else { return }
    let replica = Int.random(in: 0..<replicas.count, using: &random)
    let own = operations.indices.filter {
      operations[$0].writer == state.writer && operations[$0].isSealed && isPublished[$0]
    }
    let followed =
      chance(0.7)
      ? own.max { operations[$0].counter < operations[$1].counter }
      : own.randomElement(using: &random)
    var operation = Operation(
      namespace: state.namespace, writer: state.writer, key: state.key, signature: state.key,
      counter: (followed.map { operations[$0].counter } ?? 0) + 1, previous: followed,
      after: state.authorisation, author: .thief)
    switch Int.random(in: 0..<12, using: &random) {
    case 0:  // A gap.
      operation.counter += 2
      operation.previous = unmade
    case 1: operation.counter = World.counterLimit
    case 2:  // Another signing key under the same writer ID.
      operation.key = number()
      operation.signature = operation.key
    case 3:
      operation.seen = operations.indices.filter {
        !operations[$0].isSealed && operations[$0].namespace == state.namespace
      }
      let record = Int.random(in: 0..<World.records, using: &random)
      operation.changes = [.put(record: record, entry: number())]
    case 4, 5:
      let record = Int.random(in: 0..<World.records, using: &random)
      operation.changes = [.put(record: record, entry: number())]
    case 6:
      let file = anyFile(state.files)
      operation.changes = [.fileRemove(file: file, replaces: versionNames(file))]
    case 7:
      let put = evilPut(files: state.files, by: state.key)
      operation.changes = [put, evilPut(files: state.files, by: state.key)]
    default: break
    }
    if operation.changes.isEmpty {
      operation.changes = [evilPut(files: state.files, by: state.key)]
    }
    let name = make(operation)
    note(evil: name)
    publish(name, at: replica)
    log("thief: \(describe(name))")
  }

  private func anyFile(_ own: [Int]) -> Int {
    let all = Set(truth.versions.values.map(\.file)).sorted()
    return (chance(0.7) ? own.randomElement(using: &random) : all.randomElement(using: &random))
      ?? own[0]
  }

  private func versionNames(_ file: Int) -> [Name] {
    let names = operations.indices.filter { name in
      isPublished[name]
        && operations[name].changes.contains {
          if case .filePut(let put) = $0 { put.file == file } else { false }
        }
    }
    return chance(0.5) ? names : Array(names.suffix(1))
  }

  /// A `file-put` that replaces as much as it can name.
  private func evilPut(files: [Int], by key: Int?) -> Change {
    let file = anyFile(files)
    let names = versionNames(file)
    let object = number()
    let replica = Int.random(in: 0..<replicas.count, using: &random)
    write(object, in: isRotated ? 1 : 0, at: replica)
    write(object, in: 0, at: replica)
    var put = FilePut(
      file: file, content: object, object: object, isSmall: file % 2 == 0, replaces: names)
    if chance(0.15) {
      put.made = truth.versions.keys.sorted().randomElement(using: &random)
      put.by = put.made.flatMap { truth.versions[$0]?.key } ?? key
    }
    return .filePut(put)
  }

  private func note(evil name: Name) {
    for case .filePut(let put) in operations[name].changes {
      truth.versions[name] = Truth.Made(
        file: put.file, author: operations[name].author, key: operations[name].key,
        object: put.object, isSmall: put.isSmall)
      truth.meant[name, default: []].formUnion(put.replaces)
    }
    for case .fileRemove(let file, let names) in operations[name].changes {
      truth.meant[name, default: []].formUnion(names)
      truth.removed[file, default: []].append(name)
    }
    for case .put(let record, let entry) in operations[name].changes {
      truth.entries[entry] = (name, operations[name].author, record)
    }
  }

  /// Somebody who has the old master key, after a rotation.
  func formerKeyActs() {
    guard isRotated else { return }
    let replica = Int.random(in: 0..<replicas.count, using: &random)
    guard let victim = silents.randomElement(using: &random)?.state else { return }
    if chance(0.2) { return forge(at: replica, as: .formerKey, key: -2) }
    let all = operations.indices.filter { operations[$0].namespace == 0 && isPublished[$0] }
    var operation = Operation(
      namespace: 0, writer: number(), counter: 1, previous: nil, author: .formerKey)
    operation.seen = all.filter { !operations[$0].isSealed }
    operation.seenSealed = all.filter { operations[$0].isSealed }.map { Piece(end: $0, first: 1) }
    let file = anyFile(victim.files)
    let record = Int.random(in: 0..<World.records, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: operation.changes = [.fileRemove(file: file, replaces: versionNames(file))]
    case 1: operation.changes = [.put(record: record, entry: number())]
    case 2:
      operation.seenSealed = []
      operation.changes = [.writerRetire(key: victim.key, writer: victim.writer)]
    case 3: operation.changes = [.remove(record: record)]
    case 4: operation.changes = [.fileDrop(objects: objects.map(\.object).sorted())]
    default: operation.changes = [evilPut(files: victim.files, by: victim.key)]
    }
    let name = make(operation)
    note(evil: name)
    publish(name, at: replica)
    log("former key: \(describe(name))")
  }
}

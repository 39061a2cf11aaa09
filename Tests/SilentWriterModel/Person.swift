/// A computer at which somebody opens the backup.
struct Person {
  let index: Int
  let replica: Int
  var namespace = 0
  /// The last own operation in each namespace.
  var last: [Int: Name] = [:]
  /// How far its clock is off, and what it showed in the last run.
  var skew = 0
  var lastRun: Int?
  /// For how long, and in how many runs, it has seen a version replaced.
  var replaced: [Name: Int] = [:]
  var runs: [Name: Int] = [:]
  /// What it has opened.
  var seen: Set<Name> = []
  var seenObjects: Set<ObjectPlace> = []

  init(index: Int, replica: Int) {
    self.index = index
    self.replica = replica
  }
}

extension World {
  /// A run with the key begins: follows a rotation, reads, remembers, counts.
  func open(_ person: Int) -> Reading {
    let replica = persons[person].replica
    if persons[person].namespace == 0, hasMoved(replica) {
      persons[person].namespace = 1
      (persons[person].replaced, persons[person].runs) = ([:], [:])
    }
    let reading = reading(of: replica, namespace: persons[person].namespace)
    persons[person].seen.formUnion(replicas[replica].arrived)
    persons[person].seenObjects.formUnion(replicas[replica].objects)
    let clock = now + persons[person].skew
    var passed = clock - (persons[person].lastRun ?? clock)
    passed = max(0, passed)
    if rules.hold(.dayAtMost) { passed = min(World.day, passed) }
    persons[person].lastRun = clock
    for place in reading.versions.indices {
      let name = reading.versions[place].name
      if reading.isDead[place] {
        let isKnown = persons[person].runs[name] != nil
        persons[person].replaced[name, default: 0] += isKnown ? passed : 0
        persons[person].runs[name, default: -1] += 1
      } else {
        persons[person].runs[name] = nil
        if rules.hold(.resetByLive) { persons[person].replaced[name] = nil }
      }
    }
    checkAlarms(person, reading)
    return reading
  }

  private func hasMoved(_ replica: Int) -> Bool {
    for name in replicas[replica].arrived where operations[name].namespace == 0 {
      for case .moved(let last) in operations[name].changes
      where last.allSatisfy({ replicas[replica].has($0) }) {
        return true
      }
    }
    return false
  }

  /// Adopts late versions: of one file, or all.
  ///
  /// - Returns: what is there afterwards; nil if that has to wait for what is missing.
  func adopt(_ person: Int, file: Int?, _ reading: Reading) -> Reading? {
    if rules.lack(.adoptedFirst), file != nil { return reading }
    let places = reading.versions.indices.filter {
      reading.versions[$0].isLate && !reading.isDead[$0]
        && (file == nil || reading.versions[$0].file == file)
    }
    if places.isEmpty { return reading }
    if mustWait(reading), rules.hold(.gapAdopt) { return nil }
    for place in places {
      let late = reading.versions[place]
      copyObject(late.object, at: person)
      write(
        [
          .filePut(
            FilePut(
              file: late.file, content: late.content, object: late.object, isSmall: late.isSmall,
              made: rules.hold(.madeStays) ? late.made : nil,
              by: rules.hold(.madeStays) ? late.by : nil,
              replaces: rules.hold(.adoptedLists) ? late.replaces : []))
        ], by: person, reading, isFinding: true)
      log("person \(person) adopts \(late.made)")
    }
    return self.reading(of: persons[person].replica, namespace: reading.namespace)
  }

  func copyObject(_ object: Int, at person: Int) {
    let replica = persons[person].replica
    if replicas[replica].has(ObjectPlace(namespace: 1, object: object)) { return }
    if replicas[replica].has(ObjectPlace(namespace: 0, object: object)) {
      if rules.hold(.objectsCopied) { write(object, in: 1, at: replica) }
    } else {
      truth.uncopied.insert(object)
    }
  }
}

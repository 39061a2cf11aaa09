extension World {
  /// A person begins to rotate the master key: carries what is live.
  func beginRotation(_ person: Int) {
    let reading = open(person)
    guard rotator == nil, reading.namespace == 0 else { return }
    if mustWait(reading), rules.hold(.gapRotate) { return }
    rotator = person
    let next = self.reading(of: persons[person].replica, namespace: 1)
    write([.from(carried: nil)], by: person, next, isFinding: true)
    carry(person, reading)
    log("person \(person) begins to rotate")
  }

  /// The rotation ends, perhaps after an interruption.
  func finishRotation(_ person: Int) {
    guard rotator == person, !isRotated else { return }
    let reading = open(person)
    if mustWait(reading), rules.hold(.gapRotate) { return }
    if rules.hold(.begunAgain) { forgetRotation(person) }
    carry(person, reading)
    isRotated = true
    carryRetirements(person, reading)
    let replica = persons[person].replica
    let next = self.reading(of: replica, namespace: 1)
    let ends = reading.log.ends(reading.folder)
    write([.from(carried: ends)], by: person, next, isFinding: true)
    let last = next.log.ordinary + [persons[person].last[1] ?? unmade]
    let before = self.reading(of: replica, namespace: 0)
    write([.moved(last: last)], by: person, before)
    persons[person].namespace = 1
    (persons[person].replaced, persons[person].runs) = ([:], [:])
    log("person \(person) has rotated the master key")
  }

  /// Retires in the new namespace what was retired in the old one.
  private func carryRetirements(_ person: Int, _ reading: Reading) {
    if rules.lack(.retirementsCarried) { return }
    let next = self.reading(of: persons[person].replica, namespace: 1)
    for retirement in reading.retirementsHere {
      let change = Change.writerRetire(key: retirement.key, writer: retirement.writer)
      let pieces = reading.log.pieces(reading.folder)
      let name = write([change], by: person, next, seenSealed: pieces)
      truth.retired[retirement.key, default: []].append(name)
    }
  }

  /// Removes what an interrupted rotation carried: it begins again.
  private func forgetRotation(_ person: Int) {
    for name in operations.indices where operations[name].namespace == 1 {
      withdraw(name)
      for replica in replicas.indices { replicas[replica].remove(name) }
    }
    persons[person].last[1] = nil
    for index in persons.indices {
      persons[index].seen = persons[index].seen.filter { operations[$0].namespace == 0 }
    }
    let next = self.reading(of: persons[person].replica, namespace: 1)
    write([.from(carried: nil)], by: person, next, isFinding: true)
  }

  private func carry(_ person: Int, _ reading: Reading) {
    let replica = persons[person].replica
    let next = self.reading(of: replica, namespace: 1)
    let known = Set(next.versions.filter { !$0.isLate }.map { [$0.made, $0.file, $0.content] })
    for place in reading.versions.indices where !reading.isDead[place] {
      let version = reading.versions[place]
      if known.contains([version.made, version.file, version.content]) { continue }
      copyObject(version.object, at: person)
      let stays = rules.hold(.madeStays)
      write(
        [
          .filePut(
            FilePut(
              file: version.file, content: version.content, object: version.object,
              isSmall: version.isSmall, made: stays ? version.made : nil,
              by: stays ? version.by : nil,
              replaces: rules.hold(.carriedLists) ? reading.reached(from: place) : []))
        ], by: person, next, isFinding: true)
    }
    for record in 0..<World.records {
      let done = Set(
        next.log.ordinary.flatMap { name in
          operations[name].changes.compactMap { change in
            if case .put(record, let entry) = change { entry } else { nil }
          }
        })
      for entry in reading.wallet(record).live.subtracting(done).sorted() {
        write([.put(record: record, entry: entry)], by: person, next, isFinding: true)
      }
    }
  }
}

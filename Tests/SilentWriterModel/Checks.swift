extension World {
  /// The checks of a run with the key.
  func checkAlarms(_ person: Int, _ reading: Reading) {
    if isAttacked { return }
    let reported = reading.log.reported + (reading.earlier?.reported ?? [])
    if let name = reported.first {
      violate("person \(person): false alarm, nobody authorised \(name)")
    }
    if let name = reading.wishes.first {
      violate("person \(person): a silent writer's own removal \(name) is only a wish")
    }
  }

  /// A person who has just chosen one version has one.
  func checkSettling(_ person: Int, file: Int) {
    let reading = reading(of: persons[person].replica, namespace: persons[person].namespace)
    if Set(reading.live(file).map { reading.versions[$0].content }).count > 1 {
      violate("a person settled file \(file), and the conflict stays")
    }
  }

  var isAttacked: Bool {
    operations.contains { !$0.author.isHonest } || !truth.destroyed.isEmpty
      || !truth.destroyedObjects.isEmpty
  }

  /// Everything arrives, every computer runs once more, and all checks are made.
  func finish() {
    for index in silents.indices { recover(index) }
    for index in withheld.indices { withheld[index] = [] }
    if let rotator, !isRotated { finishRotation(rotator) }
    for replica in replicas.indices { deliver(to: replica, part: 1) }
    var first: Reading?
    for person in persons.indices {
      let reading = open(person)
      if let first {
        checkAgreement(first, reading)
      } else {
        first = reading
        var shuffled = replicas[persons[person].replica]
        shuffled.shuffle(using: &random)
        let folder = Folder(operations: operations, replica: shuffled, rules: rules)
        checkAgreement(reading, Reading(folder, namespace: reading.namespace))
      }
      checkWasHere(person, reading)
    }
    guard let first else { return }
    checkRemembered(first)
    checkVersions(first)
    checkFiles(first)
    checkAuthority(first)
    checkSettled(first)
    checkWallets(first)
    checkLitter(first)
    checkAlone(first)
    checkGaps(first)
  }

  /// A computer that nobody copied, put back or stole has no conflict with itself, and no fork.
  private func checkAlone(_ reading: Reading) {
    guard truth.destroyed.isEmpty else { return }
    for silent in silents where !silent.isDisturbed {
      guard let key = silent.state?.key, !truth.stolen.contains(key), truth.retired[key] == nil
      else { continue }
      var places: Set<[Int]> = []
      for operation in operations where operation.author == .silent(silent.index) {
        if !places.insert([operation.writer, operation.counter]).inserted {
          violate("silent \(silent.index) forked at \(operation.counter), and nobody copied it")
        }
      }
      for file in silent.state?.files ?? [] {
        let live = reading.live(file).map { reading.versions[$0] }.filter { $0.by == key }
        let isChosen = live.contains { truth.chosen.contains($0.made) }
        if !isChosen, Set(live.map(\.made)).count > 1 {
          violate("silent \(silent.index) conflicts with itself: \(live.map(\.made))")
        }
      }
    }
  }

  /// Without the help of a key, nobody makes something be missed.
  private func checkGaps(_ reading: Reading) {
    let isOutside = operations.allSatisfy { $0.author.isHonest || $0.author == .outsider }
    if isOutside, truth.destroyed.isEmpty, let name = reading.missing.first {
      violate("\(name) is missed, and nobody took it away")
    }
  }

  private func checkAgreement(_ one: Reading, _ other: Reading) {
    let (a, b) = (liveNames(one), liveNames(other))
    if a != b { violate("readers of the same files disagree: \(a), \(b)") }
    for record in 0..<World.records where one.wallet(record) != other.wallet(record) {
      violate("readers of the same files disagree about wallet \(record)")
    }
  }

  private func liveNames(_ reading: Reading) -> [Name] {
    reading.versions.indices.filter { !reading.isDead[$0] }.map { reading.versions[$0].name }
      .sorted()
  }

  private func checkWasHere(_ person: Int, _ reading: Reading) {
    if isAttacked { return }
    let replica = replicas[persons[person].replica]
    if let name = persons[person].seen.first(where: { !replica.has($0) }) {
      violate("person \(person): false alarm, \(name) was here")
    }
    for place in persons[person].seenObjects.sorted()
    where !replica.has(place) && !reading.dropped.contains(place.object) {
      let isNamed = reading.versions.contains {
        $0.object == place.object && $0.namespace == place.namespace
      }
      if isNamed { violate("person \(person): false alarm, object \(place.object) was here") }
    }
  }

  /// Objects that nobody names, in honest histories.
  private func checkLitter(_ reading: Reading) {
    if isAttacked || silents.contains(where: \.isDisturbed) || rules.hold(.objectLeft) { return }
    let named = Set(
      operations.indices.filter { isPublished[$0] }.flatMap { name in
        operations[name].changes.compactMap { change in
          if case .filePut(let put) = change { put.object } else { nil }
        }
      })
    for place in objects.sorted() where !named.contains(place.object) {
      violate("object \(place.object) stays, and nobody names it")
    }
  }
}

extension World {
  /// A computer with the key drops old versions of large files.
  func prune(_ person: Int) {
    let reading = open(person)
    if mustWait(reading), rules.hold(.gapPrune) { return }
    let namespace = reading.namespace
    let replica = persons[person].replica
    var byObject: [Int: [Int]] = [:]
    for (place, version) in reading.versions.enumerated()
    where version.namespace == namespace && !reading.dropped.contains(version.object) {
      byObject[version.object, default: []].append(place)
    }
    for (object, places) in byObject.sorted(by: { $0.key < $1.key })
    where replicas[replica].has(ObjectPlace(namespace: namespace, object: object)) {
      let old = places.filter { mayGo($0, reading, person) }
      if old.isEmpty || rules.hold(.lastName) && old.count < places.count { continue }
      if rules.hold(.lastName), reading.heldBack.contains(where: { $0.object == object }) {
        continue
      }
      checkDrop(places, reading, person)
      let name = write([.fileDrop(objects: [object])], by: person, reading)
      erase(object, in: namespace, at: replica)
      truth.dropped.insert(object)
      log("person \(person) drops object \(object): \(name)")
    }
  }

  private func mayGo(_ place: Int, _ reading: Reading, _ person: Int) -> Bool {
    let version = reading.versions[place]
    if !reading.isDead[place], rules.hold(.liveNotDropped) { return false }
    if version.isSmall, rules.hold(.smallKept) { return false }
    if rules.hold(.newerCount), reading.newer(than: place) <= World.kept { return false }
    let replaced = persons[person].replaced[version.name] ?? 0
    return replaced >= World.days * World.day || rules.lack(.replacedLongEnough)
  }

  /// The limits, by another count: of runs that saw the version replaced, one after the other.
  private func checkDrop(_ places: [Int], _ reading: Reading, _ person: Int) {
    for place in places {
      let version = reading.versions[place]
      if !reading.isDead[place] { violate("person \(person) drops live \(version.made)") }
      if version.isSmall { violate("person \(person) drops a small version, \(version.made)") }
      if persons[person].runs[version.name, default: 0] < World.days {
        violate("person \(person) drops \(version.made) too early")
      }
      if reading.newer(than: place) <= World.kept {
        violate("person \(person) drops \(version.made), one of the newest")
      }
    }
  }
}

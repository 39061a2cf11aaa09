extension World {
  func checkSettled(_ reading: Reading) {
    guard truth.destroyed.isEmpty else { return }
    for settlement in truth.settled where holds(settlement.by) {
      let live = Set(reading.live(settlement.file).map { reading.versions[$0].made })
      for made in settlement.aside.intersection(live).sorted()
      where !truth.chosen.contains(made) {
        violate("\(made) was put aside by \(settlement.by), and is back")
      }
    }
    for place in reading.versions.indices where !reading.isDead[place] {
      let version = reading.versions[place]
      let held = reading.log.heldBack + (reading.earlier?.heldBack ?? [])
      guard version.speaksFor != nil, operations[version.made].author.isHonest,
        !held.contains(version.made)
      else { continue }
      let live = Set(reading.live(version.file).map { original(reading.versions[$0].made) })
      let old = truth.meant[version.made, default: []].intersection(live)
      if let back = old.first(where: { back in
        hasKey(back, version.by) && (version.kind == .sealed || !truth.chosen.contains(back))
      }) {
        violate("\(back) stands beside \(version.made), which replaced it")
      }
    }
  }

  private func original(_ made: Name) -> Name { truth.copies[made] ?? made }

  private func hasKey(_ name: Name, _ key: Int?) -> Bool { truth.versions[name]?.key == key }
}

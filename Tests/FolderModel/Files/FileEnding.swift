import BackupFolder
import CSPP

extension FileWorld {
  /// Delivers everything, lets every computer complete its work, and checks what is there.
  func finish() {
    settleDown()
    guard let first = check() else { return }
    if violations.isEmpty { settleConflicts(first) }
    if violations.isEmpty { deleteEarlier() }
  }

  func settleDown() {
    for machine in machines {
      machine.replica.isCutOff = false
      machine.clock = max(0, machine.clock)
    }
    for _ in 0..<3 {
      engine.deliverAll()
      for machine in machines {
        switch machine.role {
        case .keyed: run(machine, .repair)
        case .silent:
          play(machine, "finishes", crashAt: nil) { () throws(BackupFolderError) in
            guard let writer = try writer(machine) else { return "no writer" }
            try folder(machine).finishSilentWriting(as: writer)
            return ""
          }
        case .thief, .former: break
        }
      }
    }
    engine.deliverAll()
    for machine in machines { machine.isSetBack = false }
  }

  /// Checks what every computer with the key reads, and one without any memory.
  ///
  /// - Returns: the first one's reading.
  private func check() -> SeenFiles? {
    var first: SeenFiles?
    for machine in keyed {
      guard let seen = checkAll(at: machine) else { return nil }
      if let first, first.description != seen.description {
        violate("\(machine.name) reads otherwise: \(seen.description), \(first.description)")
      }
      first = first ?? seen
    }
    let reader = Machine(
      Computer(
        name: "R", replica: Replica(folder: "\(base)/reader"), state: "\(base)/reader-state"),
      .keyed)
    reader.replica.replace(with: keyed[0].replica.versions)
    if let seen = checkAll(at: reader), let first, first.description != seen.description {
      violate("a new computer reads otherwise: \(seen.description), \(first.description)")
    }
    Disk.remove(reader.replica.folder)
    Disk.remove(reader.computer.state)
    return first
  }

  private func checkAll(at machine: Machine) -> SeenFiles? {
    do throws(BackupFolderError) {
      guard var opened = try open(machine) else {
        violate("\(machine.name) opens nothing in the end")
        return nil
      }
      if opened.isSuperseded { violate("\(machine.name) does not find the one in charge") }
      let seen = try look(opened.namespace, at: machine)
      checkFiles(seen, opened.namespace, at: machine)
      if !isAttacked { checkIsQuiet(opened.namespace, at: machine) }
      let shown = words(&opened.namespace)
      checkWords(Set(shown.values.flatMap(\.keys)))
      let lost = oracle.wordsToShow().subtracting(shown.values.flatMap(\.keys))
      if !lost.isEmpty, destroyed.isEmpty {
        violate("\(machine.name) lost the wallets \(lost.sorted())")
      }
      return seen
    } catch {
      violate("\(machine.name) does not open in the end: \(error)")
      return nil
    }
  }

  private func checkFiles(
    _ seen: SeenFiles, _ open: borrowing OpenNamespace, at machine: Machine
  ) {
    let who = machine.name
    let lost = oracle.mustBeKept().subtracting(seen.listed).filter { !destroyed.contains($0.stem) }
    if !lost.isEmpty { violate("\(who) lost the versions \(names(lost))") }
    var unreadable = 0
    for version in seen.versions where oracle.written[version.made]?.isHonest == true {
      if canRead(version, open, at: machine) || oracle.mayDrop.contains(version.made) { continue }
      unreadable += 1
      if destroyed.isEmpty { violate("\(who) cannot read \(names([version.made]))") }
    }
    if unreadable > destroyed.count {
      violate("\(who) cannot read \(unreadable) versions, and \(destroyed.count) files were hit")
    }
    let isDamaged = !destroyed.isEmpty
    let retired = Set(oracle.retirements.map(\.key))
    let silent = oracle.mustCount().subtracting(seen.counting).filter { made in
      if !isDamaged { return true }
      // Where a chain is broken, a retirement cannot tell what it knew.
      let key = oracle.written[made]?.key
      return !destroyed.contains(made.stem) && key.map { !retired.contains($0) } ?? true
    }
    if !silent.isEmpty { violate("\(who): do not count any more: \(names(silent))") }
    for choice in oracle.lateChoices() where !isDamaged {
      let isThere = seen.counting.contains {
        choice.operations.contains($0.stem) || $0 == choice.chosen
      }
      if !isThere { violate("\(who): a late choice does not count: \(choice.operations)") }
    }
    let followed = open.predecessors.union([open.id])
    let held = oracle.mustBeHeldBack(followed).intersection(seen.counting)
    if !held.isEmpty { violate("\(who): count after a retirement: \(names(held))") }
    if isDamaged { return }
    let decided = oracle.mustBeDecided(followed)
    let waiting = seen.files.flatMap(\.heldBack).map(\.made).filter(decided.contains)
    if !waiting.isEmpty { violate("\(who): held back again: \(names(waiting))") }
    let gone = oracle.mustBeGone(followed).intersection(seen.counting)
    if !gone.isEmpty { violate("\(who): count again: \(names(gone))") }
  }

  private func names(_ versions: some Sequence<Digest>) -> [Substring] {
    versions.map { $0.stem.prefix(6) }.sorted()
  }

  /// Checks that nothing is called missing or damaged where nothing is.
  private func checkIsQuiet(_ open: borrowing OpenNamespace, at machine: Machine) {
    let who = machine.name
    if open.health.incomplete > 0 { violate("\(who): \(open.health.incomplete) incomplete") }
    for finding in open.logFindings + open.sealedFindings {
      violate("\(who): false alarm, \(finding.file): \(finding.reason)")
    }
    for writer in open.silentWriters()
    where writer.hasGap || writer.missing > 0 || writer.incomplete > 0 {
      violate("\(who): false alarm, a gap of \(writer.writer.label)")
    }
  }

  /// Ends every conflict on one computer, as a person would.
  private func settleConflicts(_ seen: SeenFiles) {
    let settler = keyed[0]
    var settled: [FileID: Digest] = [:]
    for file in seen.files where file.versions.count(where: \.counts) > 1 {
      let counting = file.versions.filter(\.counts).sorted { $0.made < $1.made }
      guard let chosen = counting.randomElement(using: &generator) else { continue }
      settled[file.id] = chosen.made
      play(settler, "settles", crashAt: nil) { () throws(BackupFolderError) in
        guard var opened = try open(settler) else { return "" }
        do throws(BackupFolderError) {
          return try choose(
            chosen, of: file, &opened.namespace, seen, despiteGaps: isAttacked)
        } catch {
          if destroyed.isEmpty { violate("\(settler.name) cannot settle: \(error)") }
          settled[file.id] = nil
          throw error
        }
      }
    }
    settleDown()
    guard let after = check() else { return }
    for (file, chosen) in settled {
      let live = after.file(file)?.versions.filter(\.counts).map(\.made) ?? []
      if live != [chosen] { violate("not settled: \(names(live)), chosen \(names([chosen]))") }
    }
  }
}

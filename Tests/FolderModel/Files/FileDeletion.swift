import BackupFolder
import CSPP

/// The deletion of earlier backups, as `verify --deep` offers it.
extension FileWorld {
  /// Follows the advice until the earlier backups may be deleted, deletes some, and compares.
  func deleteEarlier() {
    guard let settler = keyed.first, namespaces.count > 1 else { return }
    // A person moves the computers on, or retires them; some do so before the late versions are
    // settled, and some after.
    let isFirst = Bool.random(using: &generator)
    if !isFirst { settleEarlier(settler) }
    moveOn(settler)
    for _ in 0..<3 {
      if let kept = deletable(settler) { return compare(kept, settler) }
      settleEarlier(settler)
    }
    if let kept = deletable(settler) { return compare(kept, settler) }
    if destroyed.isEmpty, !isAttacked, !hasThief {
      violate("the earlier backups cannot be deleted, whatever one does: \(obstacles(settler))")
    }
  }

  /// Authorises each computer again, or retires it, also where it has lost that it was authorised.
  private func moveOn(_ settler: Machine) {
    for machine in machines where machine.role == .silent {
      if Bool.random(using: &generator), authorise(machine, by: settler) {
        engine.deliverAll()
        play(machine, "writes once", crashAt: nil) { () throws(BackupFolderError) in
          guard let writer = try writer(machine) else { return "not authorised" }
          _ = try folder(machine).addSilently(
            FileTexts.contents(newText()), name: .of("once"), as: writer)
          return ""
        }
      } else {
        play(settler, "retires for good", crashAt: nil) { () throws(BackupFolderError) in
          guard var opened = try open(settler), let key = try writer(machine)?.signingKey else {
            return ""
          }
          try opened.namespace.retire(key, despiteGaps: true)
          return machine.name
        }
      }
      engine.deliverAll()
    }
  }

  /// Decides about each file that depends on earlier backups, or is late, and about each late wallet.
  private func settleEarlier(_ settler: Machine) {
    play(settler, "settles the earlier", crashAt: nil) { () throws(BackupFolderError) in
      guard var opened = try open(settler) else { return "" }
      _ = try opened.namespace.mergeRivals()
      let ids = opened.namespace.filesOnlyEarlier
      let files = try opened.namespace.files().filter {
        ids.contains($0.id) || !$0.late.isEmpty || !$0.heldBack.isEmpty
      }
      for file in files.sorted(by: { $0.id < $1.id }) {
        let wanted = file.live + file.late
        if let version = wanted.randomElement(using: &generator) ?? file.heldBack.first,
          Int.random(in: 0..<4, using: &generator) > 0
        {
          try opened.namespace.choose(version, despiteGaps: true)
        } else {
          do throws(BackupFolderError) {
            try opened.namespace.removeFile(file.id, despiteGaps: true)
          } catch {
            if error != .file(.noSuchFile) { throw error }
          }
        }
      }
      let report = opened.namespace.forEachWallet { _, _ in }
      let shown = words(&opened.namespace)
      for (record, state) in report.notCurrent.sorted(by: { $0.key < $1.key })
      where [.late, .conflict, .heldBack].contains(state) {
        guard let kept = shown[record]?.min(by: { $0.key < $1.key })?.value else { continue }
        _ = try opened.namespace.keep(kept, of: record)
      }
      // A retirement that came after a rotation counts for nothing: it is repeated.
      for writer in opened.namespace.silentWriters() where writer.isBehind && !writer.isRetired {
        try opened.namespace.retire(writer.writer.signingKey, despiteGaps: true)
      }
      try opened.namespace.repair()
      return "\(files.count) files"
    }
    settleDown()
  }

  /// What counts: of each file the contents and whether it waits for a decision; the wallets' words.
  private struct Kept: Equatable {
    var files: [FileID: [String]] = [:]
    var words: [RecordID: Set<String>] = [:]
    /// The paths that may be deleted, by namespace.
    var paths: [NamespaceID: Set<String>] = [:]
  }

  private func kept(_ open: inout OpenNamespace) throws(BackupFolderError) -> Kept {
    var kept = Kept()
    for file in try open.files() {
      let standing = file.versions.compactMap { version -> String? in
        guard version.counts || version.standing == .heldBack else { return nil }
        return "\(version.standing) \(version.name) \(version.content.hex.prefix(8))"
      }
      if !standing.isEmpty { kept.files[file.id] = Set(standing).sorted() }
    }
    kept.words = words(&open).mapValues { Set($0.keys) }
    return kept
  }

  /// What counts now, if the earlier backups may be deleted; nil: they may not.
  private func deletable(_ settler: Machine) -> Kept? {
    var found: Kept?
    play(settler, "verifies", crashAt: nil) { () throws(BackupFolderError) in
      guard var opened = try open(settler), !opened.isSuperseded else { return "opens nothing" }
      let report = opened.namespace.forEachWallet { _, _ in }
      let health = opened.namespace.health
      let findings = opened.namespace.logFindings + opened.namespace.sealedFindings
      let files = try opened.namespace.files()
      let isReadable = files.flatMap(\.live).allSatisfy {
        canRead($0, opened.namespace, at: settler)
      }
      guard opened.namespace.mayLoseEarlier, report.counts[.late] + report.counts[.heldBack] == 0,
        isReadable,
        health.rolledBack + health.incomplete == 0,
        findings.allSatisfy({ $0.state == .foreign }),
        !opened.namespace.silentWriters().contains(where: \.lacksChanges)
      else { return "not yet" }
      var kept = try kept(&opened.namespace)
      for spent in opened.namespace.earlierNamespaces {
        let start = "cspp-namespaces/\(spent.id)/"
        let left = spent.operations.map { start + $0 }
        kept.paths[spent.id] = Set(
          settler.replica.versions.keys.filter { path in
            path.hasPrefix(start) && !path.hasPrefix("\(start)\(SpentNamespace.keys)/")
              && !left.contains(path)
          })
      }
      found = kept
      return "\(kept.paths.count) may be deleted"
    }
    return found
  }

  private func obstacles(_ settler: Machine) -> String {
    do throws(BackupFolderError) {
      guard var opened = try open(settler) else { return "it does not open" }
      let report = opened.namespace.forEachWallet { _, _ in }
      return Self.obstacles(opened.namespace, report)
    } catch {
      return "\(error)"
    }
  }

  private static func obstacles(
    _ open: borrowing OpenNamespace, _ report: WalletReport
  ) -> String {
    "\(open.keySlotsWithoutFile.count) key slots, files \(open.filesOnlyEarlier.map(\.hex)), "
      + "\(open.contentsNotHere) contents, late wallets \(report.counts[.late]), awaited "
      + "\(open.awaitedSilentWriters.map(\.text)), gaps "
      + "\(open.writersWithMissingChanges.map(\.text)), \(open.health.incomplete) incomplete, "
      + "\(open.health.rolledBack) gone, \((open.logFindings + open.sealedFindings).map(\.file))"
  }

  /// Deletes one or more earlier backups, and reads the rest on a computer without any memory.
  private func compare(_ before: Kept, _ settler: Machine) {
    var left = settler.replica.versions
    let ids = before.paths.keys.sorted()
    let isAll = Bool.random(using: &generator)
    let gone = isAll ? ids : ids.filter { _ in Bool.random(using: &generator) }
    for path in gone.flatMap({ before.paths[$0] ?? [] }) { left[path] = nil }
    let reader = Machine(
      Computer(
        name: "D", replica: Replica(folder: "\(base)/deleted"), state: "\(base)/deleted-state"),
      .keyed)
    reader.replica.replace(with: left)
    do throws(BackupFolderError) {
      if var opened = try open(reader) {
        var after = try kept(&opened.namespace)
        after.paths = before.paths
        if opened.isSuperseded { violate("after a deletion the one in charge is not found") }
        // One alone may bring back what another one had put aside: they are to be deleted together.
        let isSame = before.files.allSatisfy { id, versions in
          versions.allSatisfy { after.files[id]?.contains($0) == true }
        }
        if gone.count == ids.count ? after.files != before.files : !isSame {
          violate("a deletion changes what counts: \(before.files) is now \(after.files)")
        }
        let hasWords = before.words.allSatisfy { record, words in
          after.words[record]?.isSuperset(of: words) == true
        }
        if gone.count == ids.count ? after.words != before.words : !hasWords {
          violate("a deletion changes wallets: \(before.words) is now \(after.words)")
        }
      } else {
        violate("after a deletion nothing opens")
      }
    } catch {
      violate("after a deletion it does not open: \(error)")
    }
    log("\(gone.count) of \(ids.count) earlier backups were deleted")
    Disk.remove(reader.replica.folder)
    Disk.remove(reader.computer.state)
  }
}

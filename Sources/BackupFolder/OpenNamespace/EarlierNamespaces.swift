public import CSPP
internal import SecretMemory

/// A namespace that the open one follows, opened with the master key from the open one's log.
final class EarlierNamespace {
  var open: OpenNamespace

  init(_ open: consuming OpenNamespace) { self.open = open }
}

extension Namespace {
  /// Another namespace of the same folder; nil when it is missing.
  func sibling(_ id: NamespaceID) throws(BackupFolderError) -> Namespace? {
    guard let all = try folder.readableSubdirectory(FolderLayout.namespaces),
      let directory = try all.readableSubdirectory(id.hex)
    else { return nil }
    return Namespace(id: id, directory: directory, settings: settings, folder: folder)
  }
}

extension OpenNamespace {
  /// Opens the namespaces that this one follows, and those that they follow.
  ///
  /// A missing one is skipped: the user may delete it once nothing in it is late.
  ///
  /// - Throws: ``BackupFolderError/interrupted``; in a writing run, if a listing fails.
  mutating func loadEarlier() throws(BackupFolderError) {
    lineage.earlier = []
    lineage.problems = []
    // A holder of a master key that was given up could name as many as fit.
    if lineage.openElsewhere.count >= Self.mostRelated { return }
    let all = (log.links.earlier + lineage.others).prefix(Self.mostRelated)
    var isOpen = lineage.openElsewhere.union([id]).union(all.map(\.namespaceID))
    for known in all where !lineage.openElsewhere.contains(known.namespaceID) {
      do throws(BackupFolderError) {
        guard let sibling = try namespace.sibling(known.namespaceID) else { continue }
        var open = OpenNamespace(
          sibling, masterKey: known.key.copy(), by: nil, purpose: purpose)
        open.lineage.openElsewhere = isOpen
        open.lineage.carriedEnds = log.links.carriedEnds[known.namespaceID]
        try open.load()
        // Each namespace is read once, by whichever path it is reached.
        isOpen.formUnion(open.allEarlier)
        lineage.earlier.append(EarlierNamespace(open))
      } catch {
        if purpose == .writing || error == .interrupted { throw error }
        lineage.problems.append(
          FileFinding(unlisted: "the earlier namespace \(known.namespaceID)", error))
      }
    }
  }

  private static var mostRelated: Int { 64 }

  private var allEarlier: Set<NamespaceID> {
    lineage.earlier.reduce(into: []) { found, older in
      found.insert(older.open.id)
      found.formUnion(older.open.allEarlier)
    }
  }

  /// Reads the earlier namespaces that have changed again.
  mutating func refreshEarlier(run: borrowing WritingRun) throws(BackupFolderError) {
    for older in lineage.earlier {
      let isSame = try older.open.listingMark() == older.open.log.listed
      let isSealedSame = try older.open.sealedMark() == older.open.fileState.sealed.listed
      if !isSame || !isSealedSame { try older.open.load() }
      older.open.localState = try run.state.localState(of: older.open.id)
      // As in rememberEarlier(): what an interrupted rotation left may be removed where it began.
      if isFollowed(older.open.id) {
        try? older.open.remember(older.open.log.index.names, in: run.state)
        try? older.open.rememberFiles(in: run.state)
      }
      try older.open.refreshEarlier(run: run)
    }
    if lineage.earlier.isEmpty { return }
    judgeFiles()
    judgeLogs()
  }

  /// Remembers the opened operations of the earlier namespaces too, since removing something there
  /// is as serious.
  mutating func rememberEarlier() {
    for older in lineage.earlier where isFollowed(older.open.id) {
      try? older.open.remember()
      older.open.rememberEarlier()
    }
  }

  /// Whether the creation of a namespace was finished; one that an unfinished rotation leaves may
  /// be removed.
  func isFollowed(_ id: NamespaceID) -> Bool {
    lineage.rivals.contains(id) || follows(id)
  }

  /// Adds the problems of the earlier namespaces' logs.
  ///
  /// Operations that they lack and that nobody here ever opened are not awaited. The user may have
  /// deleted them, and late ones are shown when they arrive.
  mutating func judgeEarlier() {
    for older in lineage.earlier {
      let found = older.open.health
      health.rolledBack += found.rolledBack
      health.rolledBackBy.merge(found.rolledBackBy) { $0 + $1 }
      health.forked += found.forked
      health.forkedWriters.formUnion(found.forkedWriters)
    }
  }

  /// The findings about the earlier namespaces' logs and sealed operations.
  var earlierFindings: [FileFinding] {
    var findings = lineage.problems
    for older in lineage.earlier {
      for finding in older.open.logFindings + older.open.fileState.sealed.findings {
        let isRetired = finding.state == .incomplete && isOfRetiredWriter(finding)
        findings.report(
          FileFinding(
            file: "\(older.open.id)/\(finding.file)", recordID: nil,
            state: isRetired ? .foreign : finding.state,
            reason: isRetired
              ? "a retired computer wrote it to an earlier backup" : finding.reason))
      }
    }
    return findings
  }

  /// Whether a sealed file lies in the folder of a writer that was retired: it is not waited for.
  ///
  /// What counted of that writer was carried over. Anything else would be held back.
  private func isOfRetiredWriter(_ finding: FileFinding) -> Bool {
    // Before it stand the IDs of the namespaces that lead there.
    let parts = finding.file.split(separator: "/").suffix(4)
    guard parts.count == 4, parts.dropLast(2).joined(separator: "/") == SealedLog.path,
      let folder = parts.dropLast().last
    else { return false }
    let keys = Set(knownRetirements.map(\.key))
    return log.files.authorisations.contains {
      keys.contains($0.writer.signingKey) && folder.hasPrefix($0.writer.writerID.hex)
    }
  }
}

/// An earlier namespace that the user may delete.
public struct SpentNamespace: Equatable, Sendable {
  /// The namespace.
  public let id: NamespaceID
  /// Its operations that name other namespaces, as paths relative to it; these must stay, as must
  /// ``keys``.
  public let operations: [String]
  /// The folder of its key slots, as a path relative to it.
  public static let keys = "\(FolderLayout.ownFolder)/\(FolderLayout.keyFolder)"
}

extension OpenNamespace {
  /// The key slots whose only file is in an earlier namespace, where a box waits for them.
  public var keySlotsWithoutFile: [PendingKeySlot] {
    withoutFile(pendingKeySlots(), described: keyWrappers())
  }

  /// Those of some key slots that have no file here.
  ///
  /// One of a credential that has a file here, or was removed here, is the same security key. It needs
  /// no box.
  ///
  /// - Parameters:
  ///   - slots: key slots of this namespace, or of another rotation's.
  ///   - files: the logged files that describe them.
  /// - Returns: the slots that need a box.
  func withoutFile(
    _ slots: [PendingKeySlot], described files: [KeyID: KeyWrapper]
  ) -> [PendingKeySlot] {
    // One of a credential that was removed here is the removed security key, unless it took the place
    // of the removed slot.
    let (own, removed) = (keyWrappers(), removedKeySlots())
    let renewed = Set(
      own.merging(files) { own, _ in own }.values.filter { !removed.contains($0.header.keyID) }
        .compactMap(\.header.replaces))
    let known = own.filter {
      removed.contains($0.key) ? !renewed.contains($0.key) : has($0.key)
    }
    let credentials = Set(known.values.compactMap { Self.credential(of: $0) })
    return slots.filter { slot in
      guard !has(slot.keyID) else { return false }
      return files[slot.keyID].flatMap { Self.credential(of: $0) }.map { !credentials.contains($0) }
        ?? true
    }
  }

  /// The namespaces that this one follows.
  ///
  /// The user may delete them all once nothing there is late and ``mayLoseEarlier`` is true.
  public var earlierNamespaces: [SpentNamespace] { earlierNamespaces(retired: []) }

  /// The same, where later namespaces have retired silent writers' keys, too.
  private func earlierNamespaces(retired later: Set<SigningKey>) -> [SpentNamespace] {
    let retired = later.union(knownRetirements.map(\.key))
    var found: [SpentNamespace] = []
    for older in lineage.earlier where follows(older.open.id) {
      let index = older.open.log.index
      // What names other namespaces, and who is authorised: what such a computer wrote may still come.
      let named = older.open.log.links.nodes.map { index.nodes[$0].reference }
      let authorised = older.open.log.files.authorisations
      let active = authorised.filter { !retired.contains($0.writer.signingKey) }
      let operations = Set(named + active.map(\.operation)).map { reference in
        "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)/\(reference.writerID)/"
          + FolderLayout.operationFile(counter: reference.counter, digest: reference.digest)
      }
      // One that was deleted, but for what has to stay, is not named again.
      let isGone =
        index.nodes.count == Set(named + authorised.map(\.operation)).count
        && older.open.fileState.sealed.entries.isEmpty
        && (try? older.open.namespace.objects()).flatMap { $0 } == nil
      if !isGone, !named.isEmpty {
        found.append(SpentNamespace(id: older.open.id, operations: operations.sorted()))
      }
      found += older.open.earlierNamespaces(retired: retired)
    }
    return found
  }

  /// Whether every key slot has a file here, and every version of a file that is needed.
  public var isAllHere: Bool { keySlotsWithoutFile.isEmpty && !needsEarlierFiles }

  /// Whether something of files would be lost with the earlier namespaces: versions that are only
  /// there, and contents that are not whole here.
  public var needsEarlierFiles: Bool {
    !filesOnlyEarlier.isEmpty || contentsNotHere > 0
  }

  /// The files of which versions are only in earlier namespaces, or of which others would count
  /// without them.
  public var filesOnlyEarlier: Set<FileID> {
    if lineage.earlier.isEmpty { return [] }
    let (now, alone) = (fileState.versions, versionsAlone)
    let changed = Set(now.places.keys).union(alone.places.keys).filter {
      Self.standings(of: $0, now) != Self.standings(of: $0, alone)
    }
    return now.filesNeedingEarlier.union(changed)
  }

  /// The versions of a file that count here, and those that are held back.
  private static func standings(
    of file: FileID, _ rules: FileVersions
  ) -> [Set<FileVersions.Identity>] {
    let live = rules.live(file).map { rules.versions[$0] }
    return [live, rules.heldBack.filter { $0.put.fileID == file }].map { found in
      Set(found.filter { $0.namespace == nil }.map { FileVersions.Identity($0) })
    }
  }

  /// The number of kept versions whose contents are not whole here, and are whole in an earlier
  /// namespace, or still arrive.
  ///
  /// Those of one that counts are awaited, too, where no folder has them.
  public var contentsNotHere: Int {
    let missing = versionsWithoutContents()
    if missing.isEmpty { return 0 }
    let folders = (try? objectFolders()) ?? []
    let rules = fileState.versions
    let live = Set(
      rules.places.keys.flatMap { rules.live($0) }.compactMap {
        rules.versions[$0].put.version.object
      })
    return missing.count { version in
      version.object.map {
        live.contains($0) || folders.isArriving($0, contents: version.size)
          || (try? folders.holdWhole($0, contents: version.size)) != false
      } ?? false
    }
  }

  /// Whether nothing but late wallets still needs the earlier namespaces: no key slot, no file, and no
  /// computer that may still write there.
  public var mayLoseEarlier: Bool {
    isAllHere && !awaitsSilentWriters && writersWithMissingChanges.isEmpty && lineage.unread == nil
      && !hasRival && !wouldBringBackWallets
      && lineage.earlier.allSatisfy {
        !follows($0.open.id) || !$0.open.log.links.nodes.isEmpty
      }
  }

  /// Whether an operation that stays of an earlier namespace has a wallet that was removed or replaced
  /// by one that would go.
  ///
  /// An older program made such operations.
  public var wouldBringBackWallets: Bool {
    lineage.earlier.contains { older in
      follows(older.open.id) && older.open.bringsBackWallets(to: log.index)
    }
  }

  private func bringsBackWallets(to last: LogIndex) -> Bool {
    let index = log.index
    let named = Set(log.links.nodes)
    let hasOne = index.records.contains { record in
      index.history(of: record).contains { place in
        let version = index.versions[place]
        guard named.contains(Int(version.node)), let value = version.value else { return false }
        return index.standing(of: value, record: record) == .superseded
          && last.standing(of: value, record: record) == .unknown
      }
    }
    return hasOne
      || lineage.earlier.contains { older in
        follows(older.open.id) && older.open.bringsBackWallets(to: last)
      }
  }

  /// Whether a rotation on another computer was read and not merged yet.
  public var hasRival: Bool { !lineage.rivals.isEmpty }

  /// The labels of silent writers of which one change that is here follows one that is not.
  ///
  /// That one may still come, also to an earlier namespace.
  public var writersWithMissingChanges: [PathComponent] {
    silentWriters().filter { $0.followsMissing && !$0.isRetired }.map(\.writer.label)
  }

  /// Whether a computer that writes without the key may still write to an earlier namespace.
  ///
  /// Whether it has accepted that it was authorised here shows only with its first change here.
  var awaitsSilentWriters: Bool {
    let before = keysOfEarlierWriters
    return silentWriters().contains { $0.isAwaited(before) }
  }

  /// The labels of the computers that may still write to an earlier namespace without the key.
  public var awaitedSilentWriters: [PathComponent] {
    let before = keysOfEarlierWriters
    return silentWriters().filter { $0.isAwaited(before) }.map(\.writer.label)
  }

  private var keysOfEarlierWriters: Set<SigningKey> {
    lineage.earlier.reduce(into: []) { keys, older in
      keys.formUnion(older.open.silentWriters().map(\.writer.signingKey))
    }
  }

  /// An earlier namespace that is open.
  func earlier(_ id: NamespaceID) -> EarlierNamespace? {
    for older in lineage.earlier {
      if older.open.id == id { return older }
      if let found = older.open.earlier(id) { return found }
    }
    return nil
  }

  /// Every namespace that this one follows, here or not, according to the opened logs.
  public var predecessors: Set<NamespaceID> {
    var all = Set(log.links.earlier.map(\.namespaceID))
    for older in lineage.earlier where follows(older.open.id) {
      all.formUnion(older.open.predecessors)
    }
    return all
  }

  /// Those of ``predecessors`` that are here and could be opened.
  public var readPredecessors: Set<NamespaceID> {
    var all: Set<NamespaceID> = []
    for older in lineage.earlier where follows(older.open.id) {
      all.formUnion(older.open.readPredecessors.union([older.open.id]))
    }
    return all
  }

  /// Whether the log says that this namespace follows another.
  func follows(_ id: NamespaceID) -> Bool {
    log.links.earlier.contains { $0.namespaceID == id }
  }
}

extension SilentWriterStatus {
  /// Whether it may still write to an earlier namespace.
  ///
  /// - Parameter before: the keys of those that wrote there.
  /// - Returns: whether it may.
  fileprivate func isAwaited(_ before: Set<SigningKey>) -> Bool {
    if isRetired { return false }
    return isBehind || before.contains(writer.signingKey) && operations == 0
  }
}

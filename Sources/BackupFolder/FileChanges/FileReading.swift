// This folder is for files and silent writers in an open namespace: what there is, reading versions,
// and changes with the master key. Which version counts is decided by FileVersions.

internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// The computers that were authorised to write without the key, those of earlier namespaces last.
  public func silentWriters() -> [SilentWriterStatus] {
    silentWriters(waiting: Set(fileState.versions.heldBack.map(\.operation.digest)))
  }

  /// The same, where later namespaces decide too.
  ///
  /// - Parameter waiting: the operations with versions of files that wait for a decision.
  /// - Returns: the computers.
  private func silentWriters(waiting: Set<Digest>) -> [SilentWriterStatus] {
    let waiting = waiting.union(
      silentWallets().filter { $0.standing == .heldBack }.map {
        fileState.sealed.entries[$0.operation].reference.digest
      })
    var found: [SilentWriter.Identity: SilentWriterStatus] = [:]
    var order: [SilentWriter.Identity] = []
    for logged in log.files.authorisations
    where found[logged.writer.identity] == nil && !logged.writer.may.isEmpty {
      order.append(logged.writer.identity)
      found[logged.writer.identity] = SilentWriterStatus(
        writer: logged.writer, authorised: logged.operation, authorisedAt: logged.at)
    }
    let retired = Set(knownRetirements.map(\.key))
    for identity in order { found[identity]?.isRetired = retired.contains(identity.signingKey) }
    let (sealed, accepted) = (fileState.sealed, fileState.memory.acceptedGaps)
    for (place, entry) in sealed.entries.enumerated() {
      if sealed.isHeldBack[place] {
        found[entry.writer]?.heldBack += 1
        if waiting.contains(entry.reference.digest) { found[entry.writer]?.undecided += 1 }
        continue
      }
      found[entry.writer]?.operations += 1
      let known = found[entry.writer]?.newest ?? 0
      if let at = entry.at { found[entry.writer]?.newest = max(known, at) }
      if entry.reference.counter > 1, sealed.chains.parent(of: place) == nil,
        !accepted.contains(entry.reference.name)
      {
        found[entry.writer]?.hasGap = true
        found[entry.writer]?.followsMissing = true
      }
    }
    let losses = fileState.memory.acceptedLosses
    let gaps = Set(
      namedSealedEnds.filter { sealed.place(of: $0.digest) == nil && !losses.contains($0.name) }
        .map(\.writerID))
    let missing = Dictionary(grouping: missingSealed, by: \.writer)
    let incomplete = Dictionary(grouping: sealed.incomplete, by: \.writer)
    for identity in order {
      let writer = identity.writerID
      if gaps.contains(writer) { found[identity]?.hasGap = true }
      found[identity]?.missing = missing[writer]?.count ?? 0
      found[identity]?.incomplete = incomplete[writer]?.count ?? 0
    }
    return writersBefore(order.compactMap { found[$0] }, retired, waiting)
  }

  /// Adds the computers that were authorised only before the master key was rotated.
  private func writersBefore(
    _ own: [SilentWriterStatus], _ retired: Set<SigningKey>, _ waiting: Set<Digest>
  ) -> [SilentWriterStatus] {
    var all = own
    var known = Set(own.map(\.writer.signingKey))
    var before = lineage.earlier.flatMap { $0.open.silentWriters(waiting: waiting) }
    // Where the earlier namespace is gone, this one still has their names.
    before += log.files.authorisations.filter(\.writer.may.isEmpty).map {
      SilentWriterStatus(writer: $0.writer, authorised: $0.operation, authorisedAt: $0.at)
    }
    for var status in before where !known.contains(status.writer.signingKey) {
      status.isBehind = true
      status.isRetired = status.isRetired || retired.contains(status.writer.signingKey)
      all.append(status)
    }
    // Being authorised again does not bring what is missing before.
    let lacking = Set(before.filter(\.followsMissing).map(\.writer.signingKey))
    for place in all.indices where lacking.contains(all[place].writer.signingKey) {
      all[place].followsMissing = true
    }
    known = []
    return all.filter { !$0.isBehind || known.insert($0.writer.signingKey).inserted }
  }

  /// Every file with the versions that are kept, ordered by name, also those of earlier namespaces.
  ///
  /// Only verified operations count. Contents are not read. A namespace that was opened for writing
  /// has none before its first writing call.
  ///
  /// - Throws: if the objects cannot be listed.
  public func files() throws(BackupFolderError) -> [BackedUpFile] {
    guard isLoaded else { throw .internalError("files were asked for before the logs were read") }
    if !hasFiles { return [] }
    let objects = try objectFolders()
    // A folder that cannot be listed has no copies to offer.
    let copied = objects.reduce(into: Set<Digest>()) {
      $0.formUnion((try? $1.objectsWithConflictCopies()) ?? [])
    }
    let rules = fileState.versions
    let labels = labels()
    var found: [FileID: [StoredVersion]] = [:]
    var shown: Set<FileVersions.Identity> = []
    var dropped: [FileID: Int] = [:]
    for (id, places) in rules.places {
      let kept = places.filter { !rules.isDropped[$0] }
      dropped[id] = places.count - kept.count
      for place in rules.representatives(of: kept) {
        let version = rules.versions[place]
        let live: StoredVersion.Standing = version.namespace == nil ? .live : .late
        let standing: StoredVersion.Standing =
          !rules.isDead[place] ? live : rules.isRemoved[place] ? .removed : .replaced
        found[id, default: []].append(stored(version, standing, labels, objects, copied))
      }
      shown.formUnion(places.map { FileVersions.Identity(rules.versions[$0]) })
    }
    for version in rules.heldBack {
      found[version.put.fileID, default: []].append(
        stored(version, .heldBack, labels, objects, copied))
    }
    for (version, isRemoved) in rules.refused
    where shown.insert(FileVersions.Identity(version)).inserted {
      var version = stored(version, isRemoved ? .removed : .replaced, labels, objects, copied)
      version.isRefused = true
      found[version.file, default: []].append(version)
    }
    // What was replaced or removed before the master key was rotated is still there.
    for older in lineage.earlier {
      for file in try older.open.files() {
        for version in file.versions
        where (version.standing == .replaced || version.standing == .removed)
          && shown.insert(FileVersions.Identity(version)).inserted
        {
          found[file.id, default: []].append(version)
        }
      }
    }
    return found.filter { !$0.value.isEmpty }.map { (id, versions) in
      BackedUpFile(
        id: id,
        versions: versions.sorted {
          ($0.at, $0.operation.counter, $0.operation.digest)
            > ($1.at, $1.operation.counter, $1.operation.digest)
        }, dropped: dropped[id] ?? 0)
    }.sorted {
      let (one, other) = ($0.newest?.name.text ?? "", $1.newest?.name.text ?? "")
      return one != other ? one < other : $0.id < $1.id
    }
  }

  /// The labels of silent writers by their keys, as first authorised.
  private func labels() -> [SigningKey: PathComponent] {
    var labels: [SigningKey: PathComponent] = [:]
    for logged in log.files.authorisations where labels[logged.writer.signingKey] == nil {
      labels[logged.writer.signingKey] = logged.writer.label
    }
    for older in lineage.earlier { labels.merge(older.open.labels()) { own, _ in own } }
    return labels
  }

  /// The label of the computer that wrote an ordinary operation; nil if that is not here.
  private func label(ofOrdinary name: Digest) -> PathComponent? {
    if let node = log.index.nodes.place(of: name) {
      return log.labels[log.index.nodes[node].reference.writerID].flatMap {
        PathComponent($0.text)
      }
    }
    for older in lineage.earlier {
      if let label = older.open.label(ofOrdinary: name) { return label }
    }
    return nil
  }

  private func stored(
    _ version: FileVersions.Version, _ standing: StoredVersion.Standing,
    _ labels: [SigningKey: PathComponent], _ objects: [ObjectFolder], _ copied: Set<Digest>
  ) -> StoredVersion {
    let (put, contents) = (version.put, version.put.version)
    let label =
      if let by = version.by {
        labels[by]
      } else {
        // A copy belongs to the computer that made the version.
        label(ofOrdinary: version.made) ?? label(ofOrdinary: version.operation.digest)
      }
    let object: StoredVersion.ObjectState =
      switch contents.place {
      case .inline: .inline
      case .object(let name, _):
        copied.contains(name) && objects.haveCopy(of: name, contents: contents.size)
          ? .here : objects.state(of: name, contents: contents.size)
      }
    return StoredVersion(
      file: put.fileID, operation: version.operation, namespace: version.namespace ?? id,
      made: version.made, by: version.by, label: label, name: put.name, at: version.at,
      modified: contents.modified, size: contents.size, mode: contents.mode,
      content: contents.content, standing: standing, object: object)
  }

  /// Sealed files that nobody here authorised, that are damaged or incomplete, and changes in
  /// sealed operations that have no effect.
  public var sealedFindings: [FileFinding] {
    var found = fileState.sealed.findings
    do throws(BackupFolderError) {
      _ = try namespace.objects()
    } catch {
      found.report(
        FileFinding(unlisted: "\(FolderLayout.ownFolder)/\(FolderLayout.objectFolder)", error))
    }
    for wish in fileState.versions.wishes {
      found.report(
        FileFinding(
          file: SealedLog.path, recordID: nil, state: .foreign,
          reason: "\(wish.operation.hex.prefix(8)) wants to remove another computer's version of "
            + "a file: it has no effect"))
    }
    return found
  }

  /// Reads the contents of a version, in pieces of at most 64 KiB.
  ///
  /// - Parameters:
  ///   - version: from ``files()``.
  ///   - sink: receives the pieces. Their file may get its name only after this call has returned:
  ///     until then the end may be missing or wrong.
  /// - Throws: ``BackupFolderError/file(_:)``; what `sink` throws; system errors.
  public func read(
    _ version: StoredVersion, into sink: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    try read(version.operation.digest, version.file, in: version.namespace, into: sink)
  }

  /// Whether a version can be restored: all of it is read, and its contents compared with their digest.
  ///
  /// - Throws: ``BackupFolderError/interrupted``.
  func canRead(
    _ operation: Digest, _ file: FileID, in place: NamespaceID?
  ) throws(BackupFolderError) -> Bool {
    do throws(BackupFolderError) {
      try read(operation, file, in: place) { _ in }
      return true
    } catch .interrupted {
      throw .interrupted
    } catch {
      return false
    }
  }

  /// Reads the contents of an operation's version.
  ///
  /// - Parameters:
  ///   - name: the operation.
  ///   - file: the file.
  ///   - place: the namespace that holds it; nil for this one.
  ///   - copy: the name of a copy of its object, which is read instead.
  ///   - sink: receives the contents.
  /// - Throws: as ``read(_:into:)``.
  func read(
    _ name: Digest, _ file: FileID, in place: NamespaceID?, fromCopy copy: String? = nil,
    into sink: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    let (put, operation) = try reopen(name, file, in: place)
    switch put.version.place {
    case .inline(let inline):
      var contents = SecretBytes(zeroed: SizeLimits.inlineFile)
      do {
        try put.version.contents(inline, in: operation.text, into: &contents)
      } catch {
        throw .file(.contentsDamaged)
      }
      try contents.withBytes { (bytes) throws(BackupFolderError) in try sink(bytes) }
    case .object(let name, let key):
      let opener: ObjectOpener
      do {
        opener = try put.version.opener(name, key: key, in: operation.text)
      } catch {
        throw .file(.contentsDamaged)
      }
      // An earlier namespace has an object of its own, under the same name.
      let older = place.flatMap { place in place == id ? nil : earlier(place) }
      let folders = try (older?.open.objectFolders() ?? []) + objectFolders()
      let size = put.version.size
      let objectFile = copy ?? FolderLayout.objectFile(name)
      let folder = folders.first { $0.state(of: objectFile, contents: size) == .here }
      guard let folder = folder ?? folders.first else { throw .file(.contentsMissing) }
      try folder.read(objectFile, opener, into: sink)
    }
  }

  /// The folders of objects: this namespace's first, then those of the namespaces before it.
  ///
  /// One that may not be read is left out, because small files need no object. A finding names it.
  func objectFolders() throws(BackupFolderError) -> [ObjectFolder] {
    var folders: [ObjectFolder] = []
    do throws(BackupFolderError) {
      if let own = try namespace.objects() { folders.append(own) }
    } catch {
      guard FileFinding(unlisted: "", error).state == .unreadable else { throw error }
    }
    for older in lineage.earlier { folders += (try? older.open.objectFolders()) ?? [] }
    return folders
  }

  /// Opens an operation once more for its version of a file.
  ///
  /// - Parameters:
  ///   - name: the operation.
  ///   - file: the file.
  ///   - place: the namespace that holds it; nil for this one.
  /// - Returns: the version, and the operation with the text to which it refers.
  /// - Throws: ``FileObstacle/noSuchVersion``; ``BackupFolderError/incomplete(path:)`` if it cannot
  ///   be read again.
  func reopen(
    _ name: Digest, _ file: FileID, in place: NamespaceID? = nil
  ) throws(BackupFolderError) -> (put: FilePut, operation: ReopenedOperation) {
    if let place, place != id {
      guard let older = earlier(place) else { throw .file(.noSuchVersion) }
      return try older.open.reopen(name, file)
    }
    let rules = fileState.versions
    let known =
      rules.place(of: name, file: file).map { rules.versions[$0] }
      ?? rules.retired.first { $0.operation.digest == name && $0.put.fileID == file }
    guard let known, known.namespace == nil else { throw .file(.noSuchVersion) }
    guard let operation = reopened(name), known.place < operation.changes.count,
      case .file(.put(let put)) = operation.changes[known.place], put.fileID == file
    else { throw .incomplete(path: namespace.directory.path) }
    return (put, operation)
  }
}

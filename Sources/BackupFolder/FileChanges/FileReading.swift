// This folder is for files and silent writers in an open namespace: what there is, reading versions,
// and changes with the master key. Which version counts is decided by FileVersions.

internal import CSPP
internal import SecretMemory

extension OpenNamespace {
  /// The computers that were authorised to write without the key.
  public func silentWriters() -> [SilentWriterStatus] {
    var found: [SilentWriter.Identity: SilentWriterStatus] = [:]
    var order: [SilentWriter.Identity] = []
    for logged in log.files.authorisations where found[logged.writer.identity] == nil {
      order.append(logged.writer.identity)
      found[logged.writer.identity] = SilentWriterStatus(
        writer: logged.writer, authorised: logged.operation, authorisedAt: logged.at)
    }
    if order.isEmpty { return [] }
    let retired = Set(log.files.retirements.map(\.key))
    for identity in order { found[identity]?.isRetired = retired.contains(identity.signingKey) }
    let sealed = fileState.sealed
    for (place, entry) in sealed.entries.enumerated() {
      if sealed.isHeldBack[place] {
        found[entry.writer]?.heldBack += 1
        continue
      }
      found[entry.writer]?.operations += 1
      let known = found[entry.writer]?.newest ?? 0
      if let at = entry.at { found[entry.writer]?.newest = max(known, at) }
      if entry.reference.counter > 1, sealed.chains.parent(of: place) == nil {
        found[entry.writer]?.hasGap = true
      }
    }
    let named = Set(log.files.seenSealed.values.joined().map(\.end))
    let gaps = Set(named.filter { sealed.place(of: $0.digest) == nil }.map(\.writerID))
    let missing = Dictionary(grouping: missingSealed, by: \.writer)
    let incomplete = Dictionary(grouping: sealed.incomplete, by: \.writer)
    for identity in order {
      let writer = identity.writerID
      if gaps.contains(writer) { found[identity]?.hasGap = true }
      found[identity]?.missing = missing[writer]?.count ?? 0
      found[identity]?.incomplete = incomplete[writer]?.count ?? 0
    }
    return order.compactMap { found[$0] }
  }

  /// Every file with the versions that are kept, ordered by name.
  ///
  /// Only verified operations count. Contents are not read. A namespace that was opened for writing
  /// has none before its first writing call.
  ///
  /// - Throws: if the objects cannot be listed.
  public func files() throws(BackupFolderError) -> [BackedUpFile] {
    guard isLoaded else { throw .internalError("files were asked for before the logs were read") }
    if !hasFiles { return [] }
    let objects = try namespace.objects()
    let rules = fileState.versions
    let labels = labels()
    var heldBack: [FileID: [FileVersions.Version]] = [:]
    for version in rules.heldBack { heldBack[version.put.fileID, default: []].append(version) }
    var found: [BackedUpFile] = []
    for id in Set(rules.places.keys).union(heldBack.keys) {
      let places = rules.places[id] ?? []
      let kept = places.filter { !rules.isDropped[$0] }
      var versions = rules.representatives(of: kept).map { place in
        let standing: StoredVersion.Standing =
          !rules.isDead[place] ? .live : rules.isRemoved[place] ? .removed : .replaced
        return stored(rules.versions[place], standing, labels, objects)
      }
      versions += (heldBack[id] ?? []).map { stored($0, .heldBack, labels, objects) }
      versions.sort {
        ($0.at, $0.operation.counter, $0.operation.digest)
          > ($1.at, $1.operation.counter, $1.operation.digest)
      }
      if versions.isEmpty { continue }
      found.append(BackedUpFile(id: id, versions: versions, dropped: places.count - kept.count))
    }
    return found.sorted {
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
    return labels
  }

  /// The computer that made a version; the one that chose it, if the first operation is not here.
  private func writer(of version: FileVersions.Version) -> WriterID {
    let nodes = log.index.nodes
    return nodes.place(of: version.made).map { nodes.writer($0) } ?? version.operation.writerID
  }

  private func stored(
    _ version: FileVersions.Version, _ standing: StoredVersion.Standing,
    _ labels: [SigningKey: PathComponent], _ objects: ObjectFolder?
  ) -> StoredVersion {
    let (put, contents) = (version.put, version.put.version)
    let label =
      if let by = version.by { labels[by] } else {
        log.labels[writer(of: version)].flatMap { PathComponent($0.text) }
      }
    let object: StoredVersion.ObjectState =
      switch contents.place {
      case .inline: .inline
      case .object(let name, _): objects?.state(of: name, contents: contents.size) ?? .missing
      }
    return StoredVersion(
      file: put.fileID, operation: version.operation, namespace: id, made: version.made,
      by: version.by, label: label, name: put.name, at: version.at, modified: contents.modified,
      size: contents.size, mode: contents.mode, content: contents.content, standing: standing,
      object: object)
  }

  /// Sealed files that nobody here authorised, that are damaged or incomplete, and changes in
  /// sealed operations that have no effect.
  public var sealedFindings: [FileFinding] {
    var found = fileState.sealed.findings
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
    guard version.namespace == id else { throw .file(.noSuchVersion) }
    var workspace = OperationLog.Workspace()
    let put = try reopen(version.operation.digest, version.file, &workspace)
    switch put.version.place {
    case .inline(let inline):
      do {
        try put.version.contents(inline, in: workspace.operation.bytes, into: &workspace.entry)
      } catch {
        throw .file(.contentsDamaged)
      }
      try workspace.entry.withBytes { (bytes) throws(BackupFolderError) in try sink(bytes) }
    case .object(let name, let key):
      guard let objects = try namespace.objects() else { throw .file(.contentsMissing) }
      let opener: ObjectOpener
      do {
        opener = try put.version.opener(name, key: key, in: workspace.operation.bytes)
      } catch {
        throw .file(.contentsDamaged)
      }
      try objects.read(name, opener, into: sink)
    }
  }

  /// Opens an operation once more for its version of a file.
  ///
  /// - Parameters:
  ///   - name: the operation.
  ///   - file: the file.
  ///   - workspace: afterwards its operation holds the text.
  /// - Returns: the version.
  /// - Throws: ``FileObstacle/noSuchVersion``; ``BackupFolderError/incomplete(path:)`` if it cannot
  ///   be read again.
  func reopen(
    _ name: Digest, _ file: FileID, _ workspace: inout OperationLog.Workspace
  ) throws(BackupFolderError) -> FilePut {
    let rules = fileState.versions
    let known =
      rules.place(of: name, file: file).map { rules.versions[$0] }
      ?? rules.heldBack.first { $0.operation.digest == name && $0.put.fileID == file }
    guard let known else { throw .file(.noSuchVersion) }
    let changes: [Operation.Change]?
    if let place = fileState.sealed.place(of: name) {
      changes = fileState.sealed.reopen(
        place, namespace, log.files.authorisations, masterKey: masterKey, &workspace)
    } else if let node = log.index.nodes.place(of: name) {
      var folder = (try? namespace.logFolder()).flatMap { $0 }.map { LogFiles($0) }
      changes =
        log.reopen(
          node, in: &folder, namespace, masterKey: masterKey, workspace: &workspace)?.changes
    } else {
      changes = nil
    }
    guard let changes, known.place < changes.count,
      case .file(.put(let put)) = changes[known.place], put.fileID == file
    else { throw .incomplete(path: namespace.directory.path) }
    return put
  }
}

// This folder is for the operations of all computers: listed, opened and indexed, with the live
// versions. Other rooms read an OperationLog, query its index, and append or include the operations
// of this run. The view, the local state and the order of a writing run are not known here.

internal import CSPP
internal import SecretMemory

/// The logs of all computers, opened in this run.
struct OperationLog {
  private(set) var index = LogIndex()
  /// The files of operations in ``LogIndex/nodes`` that have another name than they should.
  private(set) var elsewhere: [Digest: LogFile] = [:]
  /// The times of the operations by their writers' clocks, in Unix seconds.
  private(set) var times: [UInt64] = []
  /// Every computer's name for people, from its newest operation.
  private(set) var labels: [WriterID: WriterLabel] = [:]
  /// The retired computers, each with the operation in ``LogIndex/nodes`` that retired it.
  private(set) var retirements: [(node: Int, writer: WriterID)] = []
  /// Files of key slots, from `key-add`.
  private(set) var keyFiles: [KeyID: [UInt8]] = [:]
  /// Key slots for which a box waits, from `key-left`.
  private(set) var pendingKeySlots: [KeyID: LoggedPendingKeySlot] = [:]
  /// Sealed private data beside the wallets, by topic.
  private(set) var sensitive: [String: [[UInt8]]] = [:]
  /// The files and silent writers in it.
  var files = FileRecords()
  /// The folder of sealed operations beside the logs; nil where there is none.
  private(set) var sealedFolder: Directory?
  /// Whether that folder is there and cannot be opened now.
  private(set) var isSealedUnlisted = false
  /// The namespaces before and after this one.
  var links = LogLinks()
  /// The key slots that were removed.
  private(set) var removedKeys: Set<KeyID> = []
  /// Every enrolment and removal of a key slot, with the operation that made it.
  private(set) var keySlotChanges: [KeySlotChange] = []
  /// The names of key slots after their enrolment: the newest by the writers' clocks.
  private(set) var keyLabels: [KeyID: (at: UInt64, text: String)] = [:]
  /// The CSPP envelope that was logged last by the writers' clocks.
  private(set) var envelope: (at: UInt64, file: [UInt8])?
  private(set) var problems = LogProblems()
  /// Identifies the listing.
  private(set) var listed = LogListing.Mark()
  /// Whether a newer program has written changes that this version does not know.
  private(set) var hasUnknownChanges = false
  /// Whether files that were never placed were listed.
  private(set) var hasTemporaryFiles = false

  /// A key slot whose file is in an earlier namespace.
  struct LoggedPendingKeySlot {
    let namespaceID: NamespaceID
    let file: [UInt8]
  }

  /// An enrolment or a removal of a key slot.
  struct KeySlotChange {
    let key: KeyID
    let isRemoval: Bool
    let operation: Digest
  }

  /// A computer's name for people, and the counter of the operation that contains it.
  struct WriterLabel {
    let counter: UInt64
    let text: String
  }

  /// The reason reported for a file that holds another operation than its name says.
  ///
  /// The operation in it counts all the same.
  static let misnamedReason = "holds another operation than its name says: moved or replaced"

  /// Operations whose file is here but empty, a placeholder or cut off, by the file's name.
  var unsynchronised: Set<OperationName> { problems.unsynchronised }
  /// Operations whose file is here but does not hold them, by the file's name.
  var damaged: Set<OperationName> { problems.damaged }
  /// Both kinds together.
  var unread: OperationNames { problems.unread }
  var findings: [FileFinding] { problems.findings }

  /// Working memory for one pass.
  ///
  /// It grows to the size of the largest operation's file and is released with the pass.
  struct Workspace: ~Copyable {
    /// An operation: first its file, then its text in the same memory.
    var operation = FileBuffer()
    /// One of its entries.
    var entry = SecretBytes(zeroed: 16 * 1024)

    /// The operation's text, which then belongs to the caller.
    consuming func takeText() -> SecretBytes { operation.takeBytes() }
  }

  /// Reads every log file that opens.
  ///
  /// - Parameters:
  ///   - namespace: the namespace of the logs.
  ///   - masterKey: the namespace's key.
  ///   - isTolerant: whether folders that cannot be listed are only recorded.
  /// - Returns: the logs.
  /// - Throws: ``BackupFolderError/interrupted``; a failed listing.
  static func read(
    _ namespace: Namespace, masterKey: borrowing MasterKey, isTolerant: Bool = true
  ) throws(BackupFolderError) -> OperationLog {
    var log = OperationLog()
    let (opened, problem) = try namespace.readableLogFolder()
    if let problem {
      if !isTolerant { _ = try namespace.logFolder() }
      log.problems.report(unlisted: problem)
    }
    guard let folder = opened else { return log }
    do throws(BackupFolderError) {
      log.sealedFolder = try folder.sibling(FolderLayout.sealedFolder)
    } catch {
      if !isTolerant || error == .interrupted { throw error }
      log.isSealedUnlisted = true
      log.problems.report(
        FileFinding(
          unlisted: "\(FolderLayout.ownFolder)/\(FolderLayout.sealedFolder)", error))
    }
    let listing: LogListing
    do throws(BackupFolderError) {
      listing = try LogListing(folder, isTolerant: isTolerant)
    } catch {
      if !isTolerant || error == .interrupted { throw error }
      log.problems.report(unlisted: FileFinding(unlisted: LogProblems.path, error))
      return log
    }
    log.problems.report(unlisted: listing.unlisted)
    log.listed = listing.mark
    log.hasTemporaryFiles = listing.hasTemporaryFiles
    log.index.reserve(listing.count)
    log.times.reserveCapacity(listing.count)
    let surplus = listing.surplus
    var files = LogFiles(folder)
    var workspace = Workspace()
    for file in listing.inOrder() {
      try log.read(file, in: &files, namespace, masterKey: masterKey, &workspace)
    }
    log.bringInOrder()
    log.judgeProblems()
    log.problems.report(surplus: surplus)
    return log
  }

  /// Sorts the operations by counter and merges copies.
  ///
  /// Needed only where files have other counters than their names, or operations name others by
  /// copies that are spelled in another way.
  private mutating func bringInOrder() {
    if index.isInOrder, !index.namesCopies { return }
    let (ordered, places) = index.inOrder()
    index = ordered
    times = places.map { times[$0] }
    var new = places
    for (place, old) in places.enumerated() { new[old] = place }
    retirements = retirements.map { (new[$0.node], $0.writer) }
    links.nodes = links.nodes.map { new[$0] }
  }

  private mutating func judgeProblems() {
    if !problems.hasUnusable { return }
    let (names, elsewhere) = (index.names, self.elsewhere)
    problems.judge(
      isHere: { names.contains($0) }, isElsewhere: { elsewhere[$0] != $1 })
  }

  private mutating func read(
    _ file: LogFile, in files: inout LogFiles, _ namespace: Namespace,
    masterKey: borrowing MasterKey, _ workspace: inout Workspace
  ) throws(BackupFolderError) {
    do {
      try files.read(
        file, into: &workspace.operation, limit: namespace.settings.limits.operation)
    } catch {
      return problems.note(file, in: &files, error)
    }
    do {
      try open(file, namespace: namespace, masterKey: masterKey, workspace: &workspace)
    } catch {
      let isCut = error == .empty || error == .truncated
      problems.note(
        file, in: &files, state: isCut ? .incomplete : .unreadable,
        reason: isCut ? "cut off" : "\(error)")
    }
  }

  private mutating func open(
    _ location: LogFile, namespace: Namespace, masterKey: borrowing MasterKey,
    workspace: inout Workspace
  ) throws(CSPPError) {
    let file = try workspace.operation.parse { (bytes) throws(CSPPError) in
      try OperationFile(
        parsing: bytes, at: namespace.id, limit: namespace.settings.limits.operation)
    }
    let operation = try file.open(inPlace: &workspace.operation.bytes, masterKey: masterKey)
    // The versions of an operation count only if all of them can be read.
    var content = Content(at: operation.at, label: operation.writerLabel)
    content.versions.reserveCapacity(operation.changes.count)
    for (place, change) in operation.changes.enumerated() {
      switch change {
      case .put(let record, let payload):
        try Operation.decode(payload, in: workspace.operation.bytes, into: &workspace.entry)
        let value = workspace.entry.withBytes { Digest(of: $0) }
        content.versions.append(
          Content.Version(
            record: record, value: value, change: place,
            isOriginal: Self.isOriginal(workspace.entry, file.header)))
      case .remove(let record):
        content.versions.append(
          Content.Version(record: record, value: nil, change: place, isOriginal: false))
      case .keyAdd(let key, let payload):
        keyFiles[key] = try Operation.file(payload, in: workspace.operation.bytes)
        keySlotChanges.append(
          KeySlotChange(key: key, isRemoval: false, operation: file.digest))
      case .keyLeft(let key, let id, let payload):
        let file = try Operation.file(payload, in: workspace.operation.bytes)
        include(left: LoggedPendingKeySlot(namespaceID: id, file: file), key)
      case .envelope(let payload):
        include(
          envelope: try Operation.file(payload, in: workspace.operation.bytes), at: operation.at)
      case .sensitive(let topic, let payload):
        sensitive[topic, default: []].append(
          try Operation.file(payload, in: workspace.operation.bytes))
      case .keyRemove(let key):
        removedKeys.insert(key)
        keySlotChanges.append(KeySlotChange(key: key, isRemoval: true, operation: file.digest))
      case .unknown: hasUnknownChanges = true
      case .writerAdd, .silentWriterRetire, .file: content.hasFiles = true
      case .writerRetire(let writer): content.retired.append(writer)
      case .keyLabel(let key, let label): include(label: label, of: key, at: operation.at)
      case .from, .moved:
        content.hasLinks =
          try links.include(
            change, in: workspace.operation.bytes, isLater: !operation.seen.isEmpty)
          || content.hasLinks
      }
    }
    let reference = file.reference
    problems.report(location, spelling: file)
    index.include(file)
    let isNew = append(
      reference, previous: file.header.previous, seen: operation.seen, content)
    if isNew, content.hasFiles || !operation.seenSealed.isEmpty {
      files.include(operation, reference)
    }
    if location == .operation(reference.name) {
      elsewhere[file.digest] = nil
    } else {
      if isNew { elsewhere[file.digest] = location }
      if let name = location.claimedName, name != reference.name, name != file.spelledName {
        problems.note(misnamed: location, name, held: reference.digest)
      }
    }
  }

  /// The part of an operation that is kept.
  private struct Content {
    let at: UInt64
    let label: String
    var versions: [Version] = []
    var retired: [WriterID] = []
    /// Whether it names other namespaces.
    var hasLinks = false
    /// Whether it has changes of files or silent writers.
    var hasFiles = false

    /// A `put` or `remove`; see ``LogIndex/append(record:value:node:change:isOriginal:)``.
    struct Version {
      let record: RecordID
      let value: Digest?
      let change: Int
      let isOriginal: Bool
    }
  }

  /// Whether an entry's mark names the operation that holds it.
  private static func isOriginal(
    _ entry: borrowing SecretBytes, _ header: OperationHeader
  ) -> Bool {
    guard let mark = (try? WalletEntry(parsing: entry))?.mark else { return false }
    return mark == WalletEntry.Mark(writerID: header.writerID, counter: header.counter)
  }

  /// Adds an operation; returns whether it was not here yet.
  @discardableResult
  private mutating func append(
    _ reference: Operation.Seen, previous: Digest?, seen: [Operation.Seen], _ content: Content
  ) -> Bool {
    include(label: content.label, of: reference)
    guard let node = index.append(reference, previous: previous, seen: seen) else { return false }
    times.append(content.at)
    for writer in content.retired { retirements.append((node, writer)) }
    if content.hasLinks { links.nodes.append(node) }
    for version in content.versions {
      index.append(
        record: version.record, value: version.value, node: node, change: version.change,
        isOriginal: version.isOriginal)
    }
    return true
  }

  /// Adds an operation that was just published.
  mutating func append(_ staged: StagedOperation) {
    listed.add(.operation(staged.reference.name))
    var content = Content(at: staged.at, label: staged.writerLabel)
    content.retired = staged.retired
    content.hasLinks = staged.hasLinks
    for (place, version) in staged.versions.enumerated() {
      content.versions.append(
        Content.Version(
          record: version.0, value: version.1, change: place, isOriginal: staged.marksEntries))
    }
    append(staged.reference, previous: staged.header.previous, seen: staged.seen, content)
    files.include(
      staged.fileChanges, staged.reference, at: staged.at, isFinding: staged.seen.isEmpty,
      seenSealed: staged.seenSealed)
  }

  private mutating func include(label: String, of reference: Operation.Seen) {
    if let known = labels[reference.writerID], known.counter > reference.counter { return }
    labels[reference.writerID] = WriterLabel(counter: reference.counter, text: label)
  }

  /// See ``LogIndex/limitCovering(to:)``.
  mutating func limitCovering(to ends: [Operation.Seen]?) { index.limitCovering(to: ends) }

  /// Includes the envelope if it is the newest.
  mutating func include(envelope file: [UInt8], at: UInt64) {
    if let envelope, envelope.at > at { return }
    envelope = (at, file)
  }

  /// Includes private data that was just published.
  mutating func include(sensitive sealed: [UInt8], topic: String) {
    sensitive[topic, default: []].append(sealed)
  }

  /// Includes the name of a key slot if it is the newest.
  mutating func include(label: String, of key: KeyID, at: UInt64) {
    if let known = keyLabels[key], (known.at, known.text) > (at, label) { return }
    keyLabels[key] = (at, label)
  }

  /// Includes the removal of a key slot.
  mutating func include(removed key: KeyID) { removedKeys.insert(key) }

  /// Includes a key slot that has no file here.
  mutating func include(left slot: LoggedPendingKeySlot, _ key: KeyID) {
    pendingKeySlots[key] = slot
  }

  /// Includes a key slot's file.
  mutating func include(keyFile file: [UInt8], of key: KeyID) {
    keyFiles[key] = file
  }
}

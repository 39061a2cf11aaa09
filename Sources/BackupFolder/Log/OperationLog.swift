// This folder is for the operations of all computers, listed, opened and indexed, and which
// versions are live. Other rooms read an OperationLog, ask its index, and append or include
// what this run logged. The view, this computer's memory and the order of a writing run are
// not known here.

internal import CSPP
internal import SecretMemory

/// The logs of all computers, opened in this run.
struct OperationLog {
  private(set) var index = LogIndex()
  /// Where operations of ``LogIndex/nodes`` lie that have another name than
  /// theirs.
  private(set) var elsewhere: [Digest: LogFile] = [:]
  /// When they were written, by their writers' clocks; Unix seconds.
  private(set) var times: [UInt64] = []
  /// What every computer calls itself in its newest operation.
  private(set) var labels: [WriterID: WriterLabel] = [:]
  /// Computers that were retired, and by which of ``LogIndex/nodes``.
  private(set) var retirements: [(node: Int, writer: WriterID)] = []
  /// Files of key slots, from `key-add`.
  private(set) var keyFiles: [KeyID: [UInt8]] = [:]
  /// Key slots for which a box waits, from `key-left`.
  private(set) var pendingKeySlots: [KeyID: LoggedPendingKeySlot] = [:]
  /// Private data beside the wallets, sealed, by topic.
  private(set) var sensitive: [String: [[UInt8]]] = [:]
  /// The namespaces before and after this one.
  var links = LogLinks()
  /// Key slots that were revoked.
  private(set) var removedKeys: Set<KeyID> = []
  /// What key slots were called after they were enrolled: the newest name, by the
  /// writers' clocks.
  private(set) var keyLabels: [KeyID: (at: UInt64, text: String)] = [:]
  /// The CSPP envelope that was logged last, by the writers' clocks.
  private(set) var envelope: (at: UInt64, file: [UInt8])?
  private(set) var problems = LogProblems()
  /// Tells what was listed.
  private(set) var listed = LogListing.Mark()
  /// Whether a newer program has written changes that are not known here.
  private(set) var hasUnknownChanges = false
  /// Whether files were listed that were never placed.
  private(set) var hasTemporaryFiles = false
  /// Whether some of it was not read in this run.
  private(set) var isFromCache = false

  /// A key slot whose file lies in an earlier namespace.
  struct LoggedPendingKeySlot {
    let namespaceID: NamespaceID
    let file: [UInt8]
  }

  /// A computer's name for people, and the operation that says so.
  struct WriterLabel {
    let counter: UInt64
    let text: String
  }

  /// What is wrong with a file that holds another operation than its name says;
  /// what it holds counts all the same.
  static let misnamedReason = "holds another operation than its name says: moved or replaced"

  /// Operations whose file is there but empty, a placeholder or cut off, by
  /// its name.
  var unsynchronised: Set<OperationName> { problems.unsynchronised }
  /// Operations whose file is there and does not hold them, by its name.
  var damaged: Set<OperationName> { problems.damaged }
  /// Both of these.
  var unread: OperationNames { problems.unread }
  var findings: [FileFinding] { problems.findings }

  /// Working memory for one pass: it grows to the largest operation's file and
  /// goes with the pass.
  struct Workspace: ~Copyable {
    /// An operation: its file, then, in the same memory, its text.
    var operation = FileBuffer()
    /// An entry of it.
    var entry = SecretBytes(zeroed: 16 * 1024)
  }

  /// Reads every log file that opens.
  ///
  /// - Parameters:
  ///   - namespace: where they lie.
  ///   - masterKey: the namespace's key.
  ///   - known: what was read of them before: files of the names it has are not
  ///     read again, unless one of them is gone. For writing runs only, which
  ///     need not know whether a file still is what it was.
  ///   - isTolerant: whether folders that cannot be listed are only noted.
  /// - Returns: the logs.
  /// - Throws: ``BackupFolderError/interrupted``; a listing that fails.
  static func read(
    _ namespace: Namespace, masterKey: borrowing MasterKey, known: OperationLog? = nil,
    isTolerant: Bool = true
  ) throws(BackupFolderError) -> OperationLog {
    var log = OperationLog()
    let (opened, problem) = try namespace.readableLogFolder()
    if let problem {
      if !isTolerant { _ = try namespace.logFolder() }
      log.problems.report(unlisted: problem)
    }
    guard let folder = opened else { return log }
    var listing: LogListing
    do throws(BackupFolderError) {
      listing = try LogListing(folder, isTolerant: isTolerant)
    } catch {
      if !isTolerant || error == .interrupted { throw error }
      log.problems.report(unlisted: FileFinding(unlisted: LogProblems.path, error))
      return log
    }
    var kept = known
    if kept?.isCacheable == true, kept?.readLinks(namespace, masterKey: masterKey) == true,
      let known = kept, listing.remove(known.index.nodes)
    {
      log = known
      log.problems = LogProblems()
      log.isFromCache = true
    }
    log.problems.report(unlisted: listing.unlisted)
    log.listed = listing.mark
    log.hasTemporaryFiles = listing.hasTemporaryFiles
    let knownCount = log.index.nodes.count
    if knownCount == 0 {
      log.index.reserve(listing.count)
      log.times.reserveCapacity(listing.count)
    }
    let surplus = listing.surplus
    var files = LogFiles(folder)
    var workspace = Workspace()
    for file in listing.inOrder() {
      try log.read(file, in: &files, namespace, masterKey: masterKey, &workspace)
    }
    if log.index.nodes.count > knownCount || log.index.namesCopies { log.bringInOrder() }
    log.problems.report(surplus: surplus)
    return log
  }

  /// Needed only where files have other counters than their names say, or operations name others
  /// by copies that are spelled in another way.
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

  private mutating func read(
    _ file: LogFile, in files: inout LogFiles, _ namespace: Namespace,
    masterKey: borrowing MasterKey, _ workspace: inout Workspace
  ) throws(BackupFolderError) {
    do {
      try files.read(
        file, into: &workspace.operation, limit: namespace.settings.limits.operation)
    } catch {
      // What is listed in a log and not there has been listed too early, or too
      // late: nobody deletes from a log.
      let state = error == .absent ? .incomplete : error.state
      return problems.report(file, in: &files, state: state, reason: error.words)
    }
    do {
      try open(file, namespace: namespace, masterKey: masterKey, workspace: &workspace)
    } catch {
      let isCut = error == .empty || error == .truncated
      problems.report(
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
    // No version of an operation counts unless all of them can be read.
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
      case .keyLeft(let key, let id, let payload):
        let file = try Operation.file(payload, in: workspace.operation.bytes)
        include(left: LoggedPendingKeySlot(namespaceID: id, file: file), key)
      case .envelope(let payload):
        include(
          envelope: try Operation.file(payload, in: workspace.operation.bytes), at: operation.at)
      case .sensitive(let topic, let payload):
        sensitive[topic, default: []].append(
          try Operation.file(payload, in: workspace.operation.bytes))
      case .keyRemove(let key): removedKeys.insert(key)
      case .unknown: hasUnknownChanges = true
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
    if location == .operation(reference.name) {
      elsewhere[file.digest] = nil
    } else {
      if isNew { elsewhere[file.digest] = location }
      if let name = location.claimedName, name != reference.name, name != file.spelledName {
        problems.report(location, state: .unreadable, reason: Self.misnamedReason)
      }
    }
  }

  /// What an operation says, as far as it is kept.
  private struct Content {
    let at: UInt64
    let label: String
    var versions: [Version] = []
    var retired: [WriterID] = []
    /// Whether it names other namespaces.
    var hasLinks = false

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

  /// Adds an operation; says whether it was not here yet.
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
  }

  private mutating func include(label: String, of reference: Operation.Seen) {
    if let known = labels[reference.writerID], known.counter > reference.counter { return }
    labels[reference.writerID] = WriterLabel(counter: reference.counter, text: label)
  }

  /// See ``LogIndex/limitCovering(to:)``.
  mutating func limitCovering(to ends: [Operation.Seen]?) { index.limitCovering(to: ends) }

  /// Keeps the newest envelope.
  mutating func include(envelope file: [UInt8], at: UInt64) {
    if let envelope, envelope.at > at { return }
    envelope = (at, file)
  }

  /// Keeps private data that was just published.
  mutating func include(sensitive sealed: [UInt8], topic: String) {
    sensitive[topic, default: []].append(sealed)
  }

  /// Keeps the newest name of a key slot.
  mutating func include(label: String, of key: KeyID, at: UInt64) {
    if let known = keyLabels[key], (known.at, known.text) > (at, label) { return }
    keyLabels[key] = (at, label)
  }

  /// Keeps that a key slot was revoked.
  mutating func include(removed key: KeyID) { removedKeys.insert(key) }

  /// Keeps a key slot that has no file here.
  mutating func include(left slot: LoggedPendingKeySlot, _ key: KeyID) {
    pendingKeySlots[key] = slot
  }

  /// Keeps a key slot's file.
  mutating func include(keyFile file: [UInt8], of key: KeyID) {
    keyFiles[key] = file
  }
}

/// How the logs are kept in ``NamespaceCache``: everything that was read from
/// operations, nothing about files that gave none.
extension OperationLog {
  /// Whether all that was read is kept, and would be read the same way again.
  var isCacheable: Bool { elsewhere.isEmpty && !hasUnknownChanges }

  func encode(into writer: inout CacheWriter) {
    index.encode(into: &writer)
    for time in times { writer.add(time) }
    writer.add(Int64(labels.count))
    for (id, label) in labels {
      writer.add(id.words)
      writer.add(label.counter)
      writer.add(label.text)
    }
    writer.add(Int64(retirements.count))
    for retirement in retirements {
      writer.add(Int32(retirement.node))
      writer.add(retirement.writer.words)
    }
    writer.add(Int64(keyFiles.count))
    for (id, file) in keyFiles {
      writer.add(id.words)
      writer.add(file)
    }
    writer.add(Int64(pendingKeySlots.count))
    for (id, slot) in pendingKeySlots {
      writer.add(id.words)
      writer.add(slot.namespaceID.words)
      writer.add(slot.file)
    }
    writer.add(Int64(removedKeys.count))
    for id in removedKeys { writer.add(id.words) }
    writer.add(Int64(keyLabels.count))
    for (id, label) in keyLabels {
      writer.add(id.words)
      writer.add(label.at)
      writer.add(label.text)
    }
    writer.add(Int64(links.nodes.count))
    for node in links.nodes { writer.add(Int32(node)) }
    writer.add(UInt8(envelope == nil ? 0 : 1))
    if let envelope {
      writer.add(envelope.at)
      writer.add(envelope.file)
    }
  }

  init(from reader: inout CacheReader) {
    self.init()
    index = LogIndex(from: &reader)
    times.reserveCapacity(index.nodes.count)
    for _ in index.nodes.indices { times.append(reader.number()) }
    for _ in 0..<reader.count(32) {
      let id = WriterID(words: reader.words2())
      labels[id] = WriterLabel(counter: reader.number(), text: reader.text())
    }
    for _ in 0..<reader.count(20) {
      let node = reader.place(below: index.nodes.count)
      if node < 0 { reader.fail() }
      retirements.append((Int(node), WriterID(words: reader.words2())))
    }
    for _ in 0..<reader.count(24) {
      keyFiles[KeyID(words: reader.words2())] = reader.data()
    }
    for _ in 0..<reader.count(40) {
      let id = KeyID(words: reader.words2())
      pendingKeySlots[id] = LoggedPendingKeySlot(
        namespaceID: NamespaceID(words: reader.words2()), file: reader.data())
    }
    for _ in 0..<reader.count(16) { removedKeys.insert(KeyID(words: reader.words2())) }
    for _ in 0..<reader.count(32) {
      let id = KeyID(words: reader.words2())
      keyLabels[id] = (reader.number(), reader.text())
    }
    var linking: [Int] = []
    for _ in 0..<reader.count(4) {
      let node = reader.place(below: index.nodes.count)
      if node < 0 { reader.fail() }
      linking.append(Int(node))
    }
    links = LogLinks(unreadNodes: linking)
    if reader.number(UInt8.self) == 1 {
      let at = reader.number(UInt64.self)
      envelope = (at, reader.data())
    }
  }
}

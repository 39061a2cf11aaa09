internal import CSPP
internal import Glibc
internal import SecretMemory

/// The logs of all computers, opened in this run.
struct OperationLog {
  /// Where an operation lies below `keybackup/log/`.
  struct Location: Hashable {
    var folder: String
    var file: String

    /// The path below the namespace folder.
    var path: String {
      "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)/\(folder)/\(file)"
    }

    /// The operation that the file's name speaks of, for a file that does not
    /// say so itself.
    var claimedName: OperationName? {
      let name = StandIn.awaited(file) ?? file
      return OperationName("\(folder)/\(name.hasSuffix(".json") ? name.dropLast(5) : name[...])")
    }
  }

  private(set) var index = LogIndex()
  /// Where the operations of ``LogIndex/nodes`` lie.
  private(set) var locations: [Location] = []
  /// When they were written, by their writers' clocks; Unix seconds.
  private(set) var times: [UInt64] = []
  /// What every computer calls itself in its newest operation.
  private(set) var labels: [WriterID: WriterLabel] = [:]
  /// Computers that were retired, and by which of ``LogIndex/nodes``.
  private(set) var retirements: [(node: Int, writer: WriterID)] = []
  /// Files of ways in, from `key-add`.
  private(set) var keyFiles: [KeyID: [UInt8]] = [:]
  /// Ways in that were revoked.
  private(set) var removedKeys: Set<KeyID> = []
  /// The CSPP envelope that was logged last, by the writers' clocks.
  private(set) var envelope: (at: UInt64, file: [UInt8])?
  /// Operations whose file is there but empty, a placeholder or cut off, by
  /// its name.
  private(set) var unsynchronised: Set<OperationName> = []
  /// Operations whose file is there and does not hold them, by its name.
  private(set) var damaged: Set<OperationName> = []
  private(set) var findings: [FileFinding] = []
  /// Every file that was listed.
  private(set) var listed: Set<Location> = []
  /// Stand-ins that hold nothing of use, and the names of what they stand for.
  private var standIns: [(location: Location, awaited: String)] = []
  /// Whether a newer program has written changes that are not known here.
  private(set) var hasUnknownChanges = false

  /// A computer's name for people, and the operation that says so.
  struct WriterLabel {
    let counter: UInt64
    let text: String
  }

  /// What is kept of an operation until all are read.
  private struct Opened {
    var reference: Operation.Seen
    var previous: Digest?
    var seen: [Operation.Seen]
    var versions: [(record: RecordID, value: Digest?, change: Int)] = []
    var retired: [WriterID] = []
    var at: UInt64
    var location: Location
  }

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
  /// - Throws: a listing that fails: operations that were not listed must not
  ///   look like operations that are gone.
  static func read(
    _ namespace: Namespace, masterKey: borrowing MasterKey
  ) throws(BackupFolderError) -> OperationLog {
    var log = OperationLog()
    var workspace = Workspace()
    guard let folder = try namespace.logFolder() else { return log }
    var opened: [Opened] = []
    for location in try Self.list(folder) {
      log.listed.insert(location)
      guard let writer = try folder.subdirectory(location.folder) else { continue }
      do {
        try workspace.operation.read(
          location.file, in: writer, limit: namespace.settings.limits.operation)
      } catch {
        log.note(location, problem: error)
        continue
      }
      do {
        let operation = try log.open(
          location, namespace: namespace, masterKey: masterKey, workspace: &workspace)
        opened.append(operation)
        if let name = location.claimedName, name != operation.reference.name {
          log.note(location, state: .unreadable, reason: misnamedReason)
        }
      } catch {
        log.note(location, error: error)
      }
    }
    log.noteStandIns()
    // Of one writer, the earlier first: a chain is followed from its start.
    opened.sort { $0.reference.counter < $1.reference.counter }
    for operation in opened { log.append(operation) }
    return log
  }

  /// What is wrong with a file that holds another operation than its name says;
  /// what it holds counts all the same.
  static let misnamedReason = "holds another operation than its name says: moved or replaced"

  /// Every file in every folder of a log folder, temporary ones left out:
  /// those were never published.
  static func list(_ folder: Directory) throws(BackupFolderError) -> [Location] {
    var locations: [Location] = []
    for name in try folder.names() {
      let writer: Directory?
      do {
        writer = try folder.subdirectory(name)
      } catch .notAFolder {
        continue
      }
      guard let writer else { continue }
      for file in try writer.names() where !file.hasPrefix(AtomicFile.temporaryPrefix) {
        locations.append(Location(folder: name, file: file))
      }
    }
    return locations
  }

  private mutating func open(
    _ location: Location, namespace: Namespace, masterKey: borrowing MasterKey,
    workspace: inout Workspace
  ) throws(CSPPError) -> Opened {
    let file = try workspace.operation.parse { (bytes) throws(CSPPError) in
      try OperationFile(
        parsing: bytes, at: namespace.id, limit: namespace.settings.limits.operation)
    }
    let operation = try file.open(inPlace: &workspace.operation.bytes, masterKey: masterKey)
    var opened = Opened(
      reference: Operation.Seen(
        writerID: file.header.writerID, counter: file.header.counter, digest: file.digest),
      previous: file.header.previous, seen: operation.seen, at: operation.at, location: location)
    note(label: operation.writerLabel, of: file.header)
    for (place, change) in operation.changes.enumerated() {
      switch change {
      case .put(let record, let payload):
        try Operation.decode(payload, in: workspace.operation.bytes, into: &workspace.entry)
        let value = workspace.entry.withBytes { Digest(of: $0) }
        opened.versions.append((record, value, place))
      case .remove(let record):
        opened.versions.append((record, nil, place))
      case .keyAdd(let key, let payload):
        keyFiles[key] = try Operation.file(payload, in: workspace.operation.bytes)
      case .envelope(let payload):
        note(
          envelope: try Operation.file(payload, in: workspace.operation.bytes), at: operation.at)
      case .keyRemove(let key): removedKeys.insert(key)
      case .unknown: hasUnknownChanges = true
      case .writerRetire(let writer): opened.retired.append(writer)
      case .keyLabel, .from, .moved: break
      }
    }
    return opened
  }

  private mutating func append(_ operation: Opened) {
    guard
      let node = index.append(
        operation.reference, previous: operation.previous, seen: operation.seen)
    else { return }
    locations.append(operation.location)
    times.append(operation.at)
    for writer in operation.retired { retirements.append((node, writer)) }
    for version in operation.versions {
      index.append(
        record: version.record, value: version.value, node: node, change: version.change)
    }
  }

  /// Adds an operation that was just published.
  mutating func append(_ staged: StagedOperation) {
    let location = Location(folder: staged.header.writerID.hex, file: staged.fileName)
    listed.insert(location)
    var opened = Opened(
      reference: staged.reference, previous: staged.header.previous, seen: staged.seen,
      at: staged.at, location: location)
    opened.retired = staged.retired
    note(label: staged.writerLabel, of: staged.header)
    for (place, version) in staged.versions.enumerated() {
      opened.versions.append((version.0, version.1, place))
    }
    append(opened)
  }

  private mutating func note(label: String, of header: OperationHeader) {
    if let known = labels[header.writerID], known.counter > header.counter { return }
    labels[header.writerID] = WriterLabel(counter: header.counter, text: label)
  }

  /// Keeps the newest envelope.
  mutating func note(envelope file: [UInt8], at: UInt64) {
    if let envelope, envelope.at > at { return }
    envelope = (at, file)
  }

  /// Keeps a way in's file.
  mutating func note(keyFile file: [UInt8], of key: KeyID) {
    keyFiles[key] = file
  }

  private mutating func note(_ location: Location, problem: FileProblem) {
    // What is listed in a log and not there has been listed too early, or too
    // late: nobody deletes from a log.
    note(location, state: problem == .absent ? .incomplete : problem.state, reason: problem.words)
  }

  private mutating func note(_ location: Location, error: CSPPError) {
    switch error {
    case .empty, .truncated: note(location, state: .incomplete, reason: "cut off")
    default: note(location, state: .unreadable, reason: "\(error)")
    }
  }

  private mutating func note(_ location: Location, state: WalletState, reason: String) {
    if let awaited = StandIn.awaited(location.file) {
      standIns.append((location, awaited))
      return
    }
    add(location, state: state, reason: reason)
  }

  /// Notes the stand-ins of files that are not there, once all are listed.
  private mutating func noteStandIns() {
    for (location, awaited) in standIns
    where !listed.contains(Location(folder: location.folder, file: awaited)) {
      add(location, state: .incomplete, reason: StandIn.reason)
    }
    standIns = []
  }

  private mutating func add(_ location: Location, state: WalletState, reason: String) {
    if let name = location.claimedName {
      if state == .incomplete { unsynchronised.insert(name) } else { damaged.insert(name) }
    }
    findings.append(
      FileFinding(file: location.path, recordID: nil, state: state, reason: reason))
  }
}

extension OperationLog {
  /// Lends the bytes of logged `put`s, reading each operation once.
  ///
  /// - Parameters:
  ///   - places: in ``LogIndex/versions``.
  ///   - namespace: where the logs lie.
  ///   - masterKey: the namespace's key.
  ///   - body: gets a place and the entry's bytes.
  /// - Returns: the places whose operation could not be read again.
  /// - Throws: only what `body` throws.
  func forEachPut<E: Error>(
    _ places: [Int], in namespace: Namespace, masterKey: borrowing MasterKey,
    _ body: (Int, borrowing SecretBytes) throws(E) -> Void
  ) throws(E) -> [Int] {
    var workspace = Workspace()
    let sorted = places.sorted {
      let (left, right) = (index.versions[$0], index.versions[$1])
      return (left.node, left.change) < (right.node, right.change)
    }
    var lost: [Int] = []
    var current: (node: Int32, operation: Operation?)?
    for place in sorted {
      let version = index.versions[place]
      if current?.node != version.node {
        current = (
          version.node,
          reopen(
            Int(version.node), in: namespace, masterKey: masterKey, workspace: &workspace)
        )
      }
      guard let changes = current?.operation?.changes, Int(version.change) < changes.count,
        case .put(_, let payload) = changes[Int(version.change)],
        (try? Operation.decode(
          payload, in: workspace.operation.bytes, into: &workspace.entry)) != nil
      else {
        lost.append(place)
        continue
      }
      try body(place, workspace.entry)
    }
    return lost
  }

  private func reopen(
    _ node: Int, in namespace: Namespace, masterKey: borrowing MasterKey,
    workspace: inout Workspace
  ) -> Operation? {
    let location = locations[node]
    let limit = namespace.settings.limits.operation
    guard let folder = try? namespace.logFolder(),
      let writer = try? folder.subdirectory(location.folder),
      (try? workspace.operation.read(location.file, in: writer, limit: limit)) != nil
    else { return nil }
    let file = workspace.operation.withBytes {
      try? OperationFile(parsing: $0, at: namespace.id, limit: limit)
    }
    // The file may have been exchanged since it was first read.
    guard let file, file.digest == index.nodes[node].reference.digest else { return nil }
    return try? file.open(inPlace: &workspace.operation.bytes, masterKey: masterKey)
  }
}

extension FileProblem {
  /// The problem in words.
  var words: String {
    switch self {
    case .absent: "gone"
    case .incomplete: "empty"
    case .notRegular: "not a regular file"
    case .tooLarge(let limit): "larger than \(limit) bytes"
    case .system(EACCES), .system(EPERM): "cannot be read: no permission"
    case .system(EIO):
      "cannot be read now: its sync program cannot give it, or the disk is failing"
    case .system(let code) where SystemCall.meansNotHere(code):
      "cannot be read now (\(SystemCall.text(code)))"
    case .system(let code): "cannot be read (\(SystemCall.text(code)))"
    }
  }
}

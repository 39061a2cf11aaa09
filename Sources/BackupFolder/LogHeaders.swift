internal import CSPP

/// The logs of all computers as far as they can be read without a key: what
/// every operation's header says of itself.
struct LogHeaders {
  /// The operations, without what they change or have seen.
  private(set) var index = LogIndex()
  /// Operations whose file is there and empty, a placeholder or cut off.
  private(set) var unsynchronised: Set<OperationName> = []
  /// Operations whose file is there and does not hold them.
  private(set) var damaged: Set<OperationName> = []
  private(set) var findings: [FileFinding] = []

  /// A file whose name speaks of another operation than its header and bytes.
  private struct Misnamed {
    let location: OperationLog.Location
    let claimed: OperationName
    let header: OperationHeader
    let digest: Digest
  }

  /// Reads the header of every log file.
  ///
  /// - Parameters:
  ///   - namespace: where they lie.
  ///   - memory: operations that were opened here before: a file of that name
  ///     and digest is known to be whole.
  /// - Returns: what they say.
  /// - Throws: a listing that fails.
  static func read(
    _ namespace: Namespace, memory: Memory
  ) throws(BackupFolderError) -> LogHeaders {
    var log = LogHeaders()
    guard let folder = try namespace.logFolder() else { return log }
    var headers: [(header: OperationHeader, digest: Digest)] = []
    var misnamed: [Misnamed] = []
    var standIns: [(location: OperationLog.Location, awaited: OperationLog.Location)] = []
    var claimed: Set<OperationName> = []
    var buffer = FileBuffer()
    let limit = namespace.settings.limits.operation
    let locations = try OperationLog.list(folder)
    for location in locations {
      guard let writer = try folder.subdirectory(location.folder) else { continue }
      let name = location.claimedName
      if let name { claimed.insert(name) }
      let problem = FileProblem.found(location.file, in: writer, limit: limit, &buffer) {
        (bytes) throws(CSPPError) in
        let file = try OperationFile(parsing: bytes, at: namespace.id, limit: limit)
        if let name, name != file.name {
          misnamed.append(
            Misnamed(
              location: location, claimed: name, header: file.header, digest: file.digest))
        } else {
          headers.append((file.header, file.digest))
        }
      }
      guard let problem else { continue }
      if let awaited = StandIn.awaited(location.file) {
        standIns.append((location, .init(folder: location.folder, file: awaited)))
      } else {
        log.note(location, state: problem.state, reason: problem.reason)
      }
    }
    let listed = standIns.isEmpty ? [] : Set(locations)
    for (location, awaited) in standIns where !listed.contains(awaited) {
      log.note(location, state: .incomplete, reason: StandIn.reason)
    }
    for file in misnamed {
      log.note(file.location, state: .unreadable, reason: OperationLog.misnamedReason)
      // An operation that was brought to another one's place, whole, is still
      // there. Anything else under a name that its bytes do not have is damage.
      let name = OperationName(
        writer: file.header.writerID, counter: file.header.counter, digest: file.digest)
      if claimed.contains(name) || memory.operations.contains(name) {
        headers.append((file.header, file.digest))
      }
    }
    for (header, digest) in headers.sorted(by: { $0.header.counter < $1.header.counter }) {
      let reference = Operation.Seen(
        writerID: header.writerID, counter: header.counter, digest: digest)
      _ = log.index.append(reference, previous: header.previous, seen: [])
    }
    return log
  }

  /// The names of the operations that are here.
  var names: Set<OperationName> { Set(index.nodes.map(\.reference.name)) }

  private mutating func note(
    _ location: OperationLog.Location, state: WalletState, reason: String
  ) {
    if let name = location.claimedName {
      if state == .incomplete { unsynchronised.insert(name) } else { damaged.insert(name) }
    }
    findings.append(
      FileFinding(file: location.path, recordID: nil, state: state, reason: reason))
  }
}

extension OperationFile {
  /// What the file would be called, by what it says of itself.
  var name: OperationName {
    OperationName(writer: header.writerID, counter: header.counter, digest: digest)
  }
}

extension FileProblem {
  /// Reads and parses a file, and says what is wrong with it.
  ///
  /// - Returns: `nil` when it parses, or is gone.
  static func found(
    _ name: String, in folder: Directory, limit: Int, _ buffer: inout FileBuffer,
    _ parse: (Span<UInt8>) throws(CSPPError) -> Void
  ) -> (state: WalletState, reason: String)? {
    do {
      try buffer.read(name, in: folder, limit: limit)
    } catch {
      return error == .absent ? nil : (error.state, error.words)
    }
    do {
      try buffer.parse(parse)
      return nil
    } catch {
      let incomplete = error == .empty || error == .truncated
      return (incomplete ? .incomplete : .unreadable, "\(error)")
    }
  }
}

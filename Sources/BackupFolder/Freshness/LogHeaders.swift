internal import CSPP

/// The logs of all computers as far as they can be read without a key: what
/// every operation's header says of itself.
struct LogHeaders {
  /// The operations, without what they change or have seen.
  private(set) var index = LogIndex()
  private(set) var problems = LogProblems()

  /// Operations whose file is there and empty, a placeholder or cut off.
  var unsynchronised: Set<OperationName> { problems.unsynchronised }
  /// Operations whose file is there and does not hold them.
  var damaged: Set<OperationName> { problems.damaged }
  var findings: [FileFinding] { problems.findings }

  /// A file whose name speaks of another operation than its header and bytes.
  private struct Misnamed {
    /// Of more than this many, those beyond are passed over.
    static let limit = 1 << 12

    let location: LogFile
    let claimed: OperationName
    let header: OperationHeader
    let digest: Digest
  }

  /// Reads the header of every log file.
  ///
  /// - Parameters:
  ///   - namespace: where they lie.
  ///   - localState: operations that were opened here before: a file of that name
  ///     and digest is known to be whole.
  /// - Returns: what they say.
  /// - Throws: ``BackupFolderError/interrupted``.
  static func read(
    _ namespace: Namespace, localState: LocalState
  ) throws(BackupFolderError) -> LogHeaders {
    var log = LogHeaders()
    let (opened, problem) = try namespace.readableLogFolder()
    if let problem { log.problems.report(unlisted: problem) }
    guard let folder = opened else { return log }
    let listing: LogListing
    do throws(BackupFolderError) {
      listing = try LogListing(folder, isTolerant: true)
    } catch {
      if error == .interrupted { throw error }
      log.problems.report(unlisted: FileFinding(unlisted: LogProblems.path, error))
      return log
    }
    log.problems.report(unlisted: listing.unlisted)
    let surplus = listing.surplus
    var misnamed: [Misnamed] = []
    var files = LogFiles(folder)
    var buffer = FileBuffer()
    let limit = namespace.settings.limits.operation
    for location in listing.inOrder() {
      let name = location.claimedName
      let problem = FileProblem.found(
        &buffer,
        read: { (buffer) throws(FileProblem) in
          try files.read(location, into: &buffer, limit: limit)
        },
        parse: { (bytes) throws(CSPPError) in
          let file = try OperationFile(parsing: bytes, at: namespace.id, limit: limit)
          log.problems.report(location, spelling: file)
          log.index.include(file)
          if let name, name != file.name, name != file.spelledName {
            if misnamed.count < Misnamed.limit {
              misnamed.append(
                Misnamed(
                  location: location, claimed: name, header: file.header, digest: file.digest))
            }
          } else {
            log.append(file.header, file.digest)
          }
        })
      if let problem {
        log.problems.report(location, in: &files, state: problem.state, reason: problem.reason)
      }
    }
    // Listed again, which is rare, so that a listing of nearly a log's size is
    // not kept for it.
    let claimed = misnamed.isEmpty ? [] : try LogListing(folder, isTolerant: true).claimedNames
    for file in misnamed {
      log.problems.report(file.location, state: .unreadable, reason: OperationLog.misnamedReason)
      // An operation that was brought to another one's place, whole, is still
      // there. Anything else under a name that its bytes do not have is damage.
      let name = OperationName(
        writer: file.header.writerID, counter: file.header.counter, digest: file.digest)
      if claimed.contains(name) || localState.operations.contains(name) {
        log.append(file.header, file.digest)
      }
    }
    if !log.index.isInOrder || log.index.namesCopies { log.index = log.index.inOrder().index }
    log.problems.report(surplus: surplus)
    return log
  }

  private mutating func append(_ header: OperationHeader, _ digest: Digest) {
    let reference = Operation.Seen(
      writerID: header.writerID, counter: header.counter, digest: digest)
    _ = index.append(reference, previous: header.previous, seen: [])
  }

  /// The names of the operations that are here.
  var names: OperationNames { index.names }
}

extension OperationFile {
  /// What the file would be called, by what it says of itself.
  var name: OperationName { reference.name }

  /// How other operations name the one that it holds.
  var reference: Operation.Seen {
    Operation.Seen(writerID: header.writerID, counter: header.counter, digest: digest)
  }

  /// What it may be called beside that: by its own bytes, if they are spelled in another way.
  var spelledName: OperationName {
    OperationName(writer: header.writerID, counter: header.counter, digest: spelling)
  }

  /// Whether somebody spelled it in another way than writers do.
  var isRespelled: Bool { spelling != digest }
}

extension FileProblem {
  /// Reads and parses a file, and says what is wrong with it.
  ///
  /// - Returns: `nil` when it parses, or is gone.
  static func found(
    _ buffer: inout FileBuffer, read: (inout FileBuffer) throws(FileProblem) -> Void,
    parse: (Span<UInt8>) throws(CSPPError) -> Void
  ) -> (state: WalletState, reason: String)? {
    do {
      try read(&buffer)
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

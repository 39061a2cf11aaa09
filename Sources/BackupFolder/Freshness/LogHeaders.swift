internal import CSPP

/// The logs of all computers as far as they can be read without a key: the header of every
/// operation.
struct LogHeaders {
  /// The operations, without their changes and without the operations they have seen.
  private(set) var index = LogIndex()
  private(set) var problems = LogProblems()

  /// Operations whose file is here but empty, a placeholder or cut off.
  var unsynchronised: Set<OperationName> { problems.unsynchronised }
  /// Operations whose file is here but does not hold them.
  var damaged: Set<OperationName> { problems.damaged }
  var findings: [FileFinding] { problems.findings }

  /// A file whose name belongs to another operation than its header and bytes, or to none.
  private struct Misnamed {
    /// The most misnamed files that are considered; the others are skipped.
    static let limit = 1 << 12

    let location: LogFile
    let claimed: OperationName?
    let header: OperationHeader
    let digest: Digest
  }

  /// Reads the header of every log file.
  ///
  /// - Parameters:
  ///   - namespace: the namespace of the logs.
  ///   - localState: operations that were opened here before; a file of that name and digest is
  ///     known to be whole.
  /// - Returns: the contents of the headers.
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
      // Also of a conflict copy: with a changed byte it is damage, and no other operation.
      let name = location.copied
      let problem = FileProblem.found(
        &buffer,
        read: { (buffer) throws(FileProblem) in
          try files.read(location, into: &buffer, limit: limit)
        },
        parse: { (bytes) throws(CSPPError) in
          let file = try OperationFile(parsing: bytes, at: namespace.id, limit: limit)
          log.problems.report(location, spelling: file)
          log.index.include(file)
          // Another program's copy may have a changed byte, too, and nobody misses that one.
          if name != file.name, name != file.spelledName {
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
        log.problems.note(
          location, in: &files, state: problem.state, reason: problem.reason,
          isForbidden: problem.isForbidden)
      }
    }
    // Listed a second time, which is rare, so that a listing of nearly a log's size need not be
    // kept.
    let names = misnamed.isEmpty ? [] : try LogListing(folder, isTolerant: true).claimedNames
    let named = log.index.names
    for file in misnamed {
      // An operation that was moved to another one's place, whole, is still here. Any other file
      // whose name does not match its bytes is damage.
      let name = OperationName(
        writer: file.header.writerID, counter: file.header.counter, digest: file.digest)
      let isKnown = names.contains(name) || localState.operations.contains(name)
      if isKnown { log.append(file.header, file.digest) }
      guard let claimed = file.claimed else { continue }
      log.problems.note(misnamed: file.location, claimed, held: isKnown ? file.digest : nil)
    }
    if !log.index.isInOrder || log.index.namesCopies { log.index = log.index.inOrder().index }
    let (here, inPlace) = (log.index.names, Set(named.map(\.digest)))
    log.problems.judge(
      isHere: { here.contains($0) },
      isElsewhere: { (held, _) in inPlace.contains(held.words.lowHalf) })
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
  /// The name of the file according to its header and digest.
  var name: OperationName { reference.name }

  /// The reference by which other operations name this one.
  var reference: Operation.Seen {
    Operation.Seen(writerID: header.writerID, counter: header.counter, digest: digest)
  }

  /// The alternative name by the file's own bytes, if they are spelled in another way.
  var spelledName: OperationName {
    OperationName(writer: header.writerID, counter: header.counter, digest: spelling)
  }

  /// Whether the file is spelled in another way than writers spell it.
  var isRespelled: Bool { spelling != digest }
}

extension FileProblem {
  /// Reads and parses a file, and reports its problem.
  ///
  /// - Returns: `nil` when the file parses or is missing.
  static func found(
    _ buffer: inout FileBuffer, read: (inout FileBuffer) throws(FileProblem) -> Void,
    parse: (Span<UInt8>) throws(CSPPError) -> Void
  ) -> (state: WalletState, reason: String, isForbidden: Bool)? {
    do {
      try read(&buffer)
    } catch {
      return error == .absent ? nil : (error.state, error.words, error.isForbidden)
    }
    do {
      try buffer.parse(parse)
      return nil
    } catch {
      let incomplete = error == .empty || error == .truncated
      return (incomplete ? .incomplete : .unreadable, "\(error)", false)
    }
  }
}

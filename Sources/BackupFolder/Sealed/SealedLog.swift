// This folder is for the operations of silent writers: listed, verified against the log's
// authorisations, opened, and judged by the retirements. What a change means for a file or wallet is
// not known here.

internal import CSPP
internal import SecretMemory

/// The sealed operations of a namespace that its log authorises.
struct SealedLog {
  /// A verified operation.
  struct Entry {
    let reference: Operation.Seen
    let previous: Digest?
    let writer: SilentWriter.Identity
    /// The time by the silent writer's clock; nil if the operation does not open.
    let at: UInt64?
    /// The changes that count, each with its index among all of the operation's changes.
    let changes: [(place: Int, change: Change)]
    /// The file that holds it.
    let file: LogFile
  }

  /// A change that may count.
  enum Change {
    case file(FileChange)
    /// A wallet's entry, with its digest.
    case put(RecordID, Digest)
  }

  /// The operations, in the order of their counters.
  private(set) var entries: [Entry] = []
  /// For each of ``entries``, whether a retirement of its key holds it back.
  private(set) var isHeldBack: [Bool] = []
  /// The chains of ``entries``, whose places are the same.
  private(set) var chains = LogIndex()
  /// Identifies the listing.
  private(set) var listed = LogListing.Mark()
  private(set) var problems = LogProblems(of: Self.path)
  /// The operations that no authorisation here covers, by the file's name.
  private(set) var unauthorised: Set<OperationName> = []
  /// Those of which a person has accepted that.
  private var accepted: OperationNames = []
  /// Whether some folder could not be listed.
  private(set) var isUnlisted = false
  /// The folder that was listed.
  private(set) var folder: Directory?

  static let path = "\(FolderLayout.ownFolder)/\(FolderLayout.sealedFolder)"

  /// The files and changes that do not count.
  var findings: [FileFinding] { problems.findings }
  /// The operations whose file is here but empty, a placeholder or cut off, by the file's name.
  var incomplete: Set<OperationName> { problems.unsynchronised }

  /// The names of all verified operations.
  var names: OperationNames { OperationNames(entries.map(\.reference.name)) }

  /// Reads every sealed operation that opens.
  ///
  /// - Parameters:
  ///   - log: the namespace's log.
  ///   - namespace: the namespace.
  ///   - masterKey: its key.
  ///   - verified: the operations whose signature was verified by this computer before.
  ///   - accepted: the operations that a person has given up.
  ///   - isTolerant: whether folders that cannot be listed are only recorded.
  /// - Returns: the operations.
  /// - Throws: ``BackupFolderError/interrupted``; a failed listing.
  static func read(
    _ log: borrowing OperationLog, _ namespace: Namespace, masterKey: borrowing MasterKey,
    verified: OperationNames, accepted: OperationNames, isTolerant: Bool
  ) throws(BackupFolderError) -> SealedLog {
    var sealed = SealedLog()
    sealed.accepted = accepted
    guard let folder = log.sealedFolder else { return sealed }
    sealed.folder = folder
    let listing: LogListing
    do throws(BackupFolderError) {
      listing = try LogListing(folder, isTolerant: isTolerant)
    } catch {
      if !isTolerant || error == .interrupted { throw error }
      sealed.problems.report(FileFinding(unlisted: path, error))
      sealed.isUnlisted = true
      return sealed
    }
    sealed.listed = listing.mark
    sealed.isUnlisted = !listing.unlisted.isEmpty
    for (name, error) in listing.unlisted {
      sealed.problems.report(FileFinding(unlisted: "\(path)/\(name)", error))
    }
    sealed.problems.report(surplus: listing.surplus)
    if listing.count == 0 { return sealed }
    let reader = SealedReader(log.files.authorisations, masterKey, verified: verified)
    var files = LogFiles(folder)
    var workspace = OperationLog.Workspace()
    sealed.entries.reserveCapacity(listing.count)
    for file in listing.inOrder() {
      sealed.read(file, in: &files, namespace, by: reader, &workspace)
    }
    sealed.bringInOrder()
    if sealed.problems.hasUnusable {
      let here = sealed.names
      sealed.problems.judge(isHere: { here.contains($0) })
    }
    sealed.judge(log.files.retirements)
    return sealed
  }

  private mutating func read(
    _ file: LogFile, in files: inout LogFiles, _ namespace: Namespace, by reader: SealedReader,
    _ workspace: inout OperationLog.Workspace
  ) {
    let limit = namespace.settings.limits.sealedOperation
    do throws(FileProblem) {
      try files.read(file, into: &workspace.operation, limit: limit)
    } catch {
      return problems.note(file, in: &files, error)
    }
    do throws(CSPPError) {
      let operation = try workspace.operation.parse { (bytes) throws(CSPPError) in
        try SealedOperationFile(parsing: bytes, at: namespace.id, limit: limit)
      }
      guard let access = try reader.access(to: operation) else {
        // Another program's file.
        if file.copied == nil { return }
        let name = file.claimedName
        if let name, unauthorised.count < Self.mostUnauthorised { unauthorised.insert(name) }
        // Anybody can put such a file here, so a person may end the waiting.
        let isGivenUp = name.map { accepted.contains($0) } ?? false
        return problems.report(
          file, isGivenUp ? .foreign : .incomplete,
          "nobody authorised the computer that wrote this, or that is not here yet")
      }
      include(operation, access, file, by: reader, &workspace)
    } catch {
      switch error {
      case .empty, .truncated:
        problems.note(file, in: &files, state: .incomplete, reason: "cut off")
      case .invalidSignature:
        problems.note(
          file, in: &files, state: .unreadable,
          reason: "the computer that it names did not sign it")
      case .otherSpelling:
        let digest = workspace.operation.withBytes { Digest(of: $0) }
        guard let claimed = file.copied,
          claimed.digest != SIMD2(digest.words.x, digest.words.y)
        else {
          return problems.report(file, .foreign, Self.respelledReason)
        }
        problems.note(
          file, in: &files, state: .unreadable, reason: "changed since its computer wrote it",
          beside: Self.respelledReason)
      default: problems.note(file, in: &files, state: .unreadable, reason: "\(error)")
      }
    }
  }

  /// Adds a verified operation.
  private mutating func include(
    _ operation: SealedOperationFile, _ access: SealedReader.Access, _ file: LogFile,
    by reader: SealedReader, _ workspace: inout OperationLog.Workspace
  ) {
    let reference = operation.reference
    if let claimed = file.claimedName, claimed != reference.name {
      problems.report(file, .unreadable, OperationLog.misnamedReason)
    }
    var at: UInt64?
    var changes: [(place: Int, change: Change)] = []
    do throws(CSPPError) {
      let contents = try reader.open(operation, access, into: &workspace.operation.bytes)
      at = contents.at
      let verdicts = contents.verdicts(access.may)
      for (place, change) in contents.changes.enumerated() {
        guard verdicts[place] == .counts else {
          problems.report(file, .foreign, Self.words(verdicts[place]))
          continue
        }
        switch change {
        case .file(let change): changes.append((place, .file(change)))
        case .put(let record, let payload):
          try Operation.decode(payload, in: workspace.operation.bytes, into: &workspace.entry)
          guard (try? WalletEntry(parsing: workspace.entry))?.recordID == record else {
            problems.report(file, .unreadable, "an entry that is no wallet: no effect")
            continue
          }
          changes.append((place, .put(record, workspace.entry.withBytes { Digest(of: $0) })))
        default: break
        }
      }
    } catch {
      // Its signature holds, so it has its place in the chain.
      changes = []
      problems.report(file, .unreadable, "signed, but it does not open: \(error)")
    }
    entries.append(
      Entry(
        reference: reference, previous: operation.header.previous, writer: access.writer, at: at,
        changes: changes, file: file))
  }

  private static func words(_ verdict: SealedContents.Verdict) -> String {
    switch verdict {
    case .counts: "counts"
    case .notPermitted: "a change that this computer may not make: it has no effect"
    case .notForSilentWriters: "a change that needs the key: it has no effect"
    case .claimsOrigin: "a version that claims to be another computer's: it has no effect"
    case .repeated: "a second version of one file: it has no effect"
    case .unknown: "a change that this program does not know: it has no effect"
    }
  }

  private static let respelledReason = "a copy in another spelling: it changes nothing"

  private static let mostUnauthorised = 1 << 16

  /// Sorts the operations by counter, drops copies of one file, and follows the chains.
  private mutating func bringInOrder() {
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy {
      $0.reference.counter <= $1.reference.counter
    }
    if !isSorted {
      entries.sort {
        ($0.reference.counter, $0.reference.digest) < ($1.reference.counter, $1.reference.digest)
      }
    }
    chains.reserve(entries.count)
    var kept: [Entry] = []
    kept.reserveCapacity(entries.count)
    for entry in entries
    where chains.append(entry.reference, previous: entry.previous, seen: []) != nil {
      kept.append(entry)
    }
    entries = kept
  }

  /// Opens the operation at a place once more.
  ///
  /// - Returns: its changes, whose ranges refer to the operation in `workspace`; nil if it cannot be
  ///   read again.
  func reopen(
    _ place: Int, _ namespace: Namespace, _ authorisations: [FileRecords.Authorisation],
    masterKey: borrowing MasterKey, _ workspace: inout OperationLog.Workspace
  ) -> [Operation.Change]? {
    guard let folder else { return nil }
    let entry = entries[place]
    let limit = namespace.settings.limits.sealedOperation
    var files = LogFiles(folder)
    guard (try? files.read(entry.file, into: &workspace.operation, limit: limit)) != nil,
      let operation = workspace.operation.withBytes({
        try? SealedOperationFile(parsing: $0, at: namespace.id, limit: limit)
      }),
      // The file may have been replaced since it was first read.
      operation.digest == entry.reference.digest
    else { return nil }
    let own = authorisations.filter { $0.writer.identity == entry.writer }
    let reader = SealedReader(own, masterKey, verified: [entry.reference.name])
    guard let access = try? reader.access(to: operation) else { return nil }
    return try? reader.open(operation, access, into: &workspace.operation.bytes).changes
  }

  // MARK: Coverage

  /// Holds back what a retirement of its key did not know.
  private mutating func judge(_ retirements: [FileRecords.Retirement]) {
    let byKey = Dictionary(grouping: retirements, by: \.key)
    isHeldBack = entries.indices.map { place in
      guard let all = byKey[entries[place].writer.signingKey] else { return false }
      return !all.allSatisfy { covers($0.pieces, place) }
    }
  }

  /// Judges again, because retirements were added, or those of later namespaces are known.
  mutating func judgeAgain(_ retirements: [FileRecords.Retirement]) {
    judge(retirements)
  }

  /// The place of an operation.
  func place(of digest: Digest) -> Int? { chains.nodes.place(of: digest) }

  /// Whether pieces of chains hold the operation at a place.
  func covers(_ pieces: [Operation.SealedPiece], _ place: Int) -> Bool {
    let counter = entries[place].reference.counter
    let writer = entries[place].reference.writerID
    return pieces.contains { piece in
      guard piece.end.writerID == writer, piece.first <= counter, counter <= piece.end.counter,
        let end = chains.nodes.place(of: piece.end.digest)
      else { return false }
      return chains.reaches(end, place)
    }
  }

  /// The unbroken pieces of all chains that count, the longest first.
  ///
  /// An operation with all of them could grow with what a thief writes. What is left out counts as
  /// not known, which loses nothing.
  func pieces() -> [Operation.SealedPiece] {
    var first = [UInt64](repeating: 0, count: entries.count)
    var isFollowed = [Bool](repeating: false, count: entries.count)
    for (place, entry) in entries.enumerated() where !isHeldBack[place] {
      first[place] = entry.reference.counter
      guard let before = chains.parent(of: place), !isHeldBack[before] else { continue }
      first[place] = first[before]
      isFollowed[before] = true
    }
    var found: [Operation.SealedPiece] = []
    for (place, entry) in entries.enumerated() where !isHeldBack[place] && !isFollowed[place] {
      found.append(Operation.SealedPiece(end: entry.reference, first: first[place]))
    }
    found.sort {
      let (one, other) = ($0.end.counter - $0.first, $1.end.counter - $1.first)
      return one != other ? one > other : $0.end.digest < $1.end.digest
    }
    return Array(found.prefix(Self.mostPieces))
  }

  static let mostPieces = 4096
}

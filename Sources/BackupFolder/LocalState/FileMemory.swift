internal import CSPP

/// This computer's memory of a namespace's files and silent writers.
///
/// It is read and written only where there are any.
struct FileMemory: Equatable {
  /// A version's operation and its file.
  struct Version: Hashable {
    let operation: Digest
    let file: FileID
  }

  /// The sealed operations whose signature was verified here, with the key.
  var verified: OperationNames = []
  /// The sealed operations before which a person has accepted that something is missing.
  var acceptedGaps: OperationNames = []
  /// The sealed operations of which a person has accepted that they are missing.
  var acceptedLosses: OperationNames = []
  /// The sealed operations before which something was missing when the backup was last opened here.
  var gaps: OperationNames = []
  /// The sealed operations that were named or opened before, and could not be opened then.
  var losses: OperationNames = []
  /// Those of ``losses`` that nobody authorised; their files were here.
  var unauthorised: OperationNames = []
  /// This computer's last versions as a silent writer of which a person has accepted that they are not
  /// whole here.
  var acceptedVersions: OperationNames = []
  /// The time of the last run that counted, in Unix seconds.
  var countedAt: UInt64?
  /// For how long this computer has seen a large version replaced, in seconds by its own count.
  var replaced: [Version: UInt64] = [:]

  /// Nothing.
  init() {}

  static let header = "keybackup-files 1"
  static let limit = 64 << 20

  /// The time that one run adds at most, in seconds.
  static let mostAtOnce: UInt64 = 24 * 3600

  /// Counts a run.
  ///
  /// - Parameters:
  ///   - time: now, by this computer's clock.
  ///   - candidates: the versions that are replaced now; others begin again.
  mutating func count(at time: UInt64, _ candidates: Set<Version>) {
    // A clock that was set back adds nothing, one that jumped at most a day.
    let passed = countedAt.map { time > $0 ? min(time - $0, Self.mostAtOnce) : 0 } ?? 0
    countedAt = time
    var counted: [Version: UInt64] = [:]
    for version in candidates { counted[version] = replaced[version].map { $0 + passed } ?? 0 }
    replaced = counted
  }

  /// Adds what another path remembers.
  ///
  /// What is remembered anywhere counts before what a person gave up elsewhere.
  mutating func inherit(_ other: FileMemory) {
    for part in Names.allCases { self[part].formUnion(other[part]) }
    acceptedLosses = acceptedLosses.subtracting(verified)
    if countedAt == nil { (countedAt, replaced) = (other.countedAt, other.replaced) }
  }

  /// Parses the output of ``bytes``; nil for anything else.
  init?(_ bytes: Span<UInt8>) {
    var names: [Names: [OperationName]] = [:]
    var writer: WriterID?
    var part = Names.verified
    let isWhole = StateLines.read(bytes, header: "keybackup-files 1") { line in
      if !line.isEmpty, line[0] &- 48 < 10 {
        guard let writer, let name = OperationName(writer: writer, stem: line) else { return false }
        names[part, default: []].append(name)
        return true
      }
      let words = String(repairing: line).split(separator: " ")
      guard words.count == 2, let found = Names(rawValue: String(words[0])) else {
        return read(words)
      }
      part = found
      writer = WriterID(hex: String(words[1]))
      return writer != nil
    }
    guard isWhole else { return nil }
    for (part, found) in names { self[part] = OperationNames(found) }
    // An older program kept both in one set.
    let both = OperationNames(names[.accepted] ?? [])
    acceptedGaps.formUnion(both)
    acceptedLosses.formUnion(both)
  }

  /// The sets of names, by the words before them in the file.
  private enum Names: String, CaseIterable {
    case verified
    case acceptedGaps = "accepted-gap"
    case acceptedLosses = "accepted-loss"
    case gaps = "gap"
    case losses = "loss"
    case unauthorised
    case acceptedVersions = "accepted-version"
    case accepted
  }

  private subscript(part: Names) -> OperationNames {
    get {
      switch part {
      case .verified: verified
      case .acceptedGaps: acceptedGaps
      case .acceptedLosses: acceptedLosses
      case .gaps: gaps
      case .losses: losses
      case .unauthorised: unauthorised
      case .acceptedVersions: acceptedVersions
      case .accepted: []
      }
    }
    set {
      switch part {
      case .verified: verified = newValue
      case .acceptedGaps: acceptedGaps = newValue
      case .acceptedLosses: acceptedLosses = newValue
      case .gaps: gaps = newValue
      case .losses: losses = newValue
      case .unauthorised: unauthorised = newValue
      case .acceptedVersions: acceptedVersions = newValue
      case .accepted: break
      }
    }
  }

  private mutating func read(_ words: [Substring]) -> Bool {
    switch words.first {
    case "counted" where words.count == 2:
      countedAt = UInt64(words[1])
      return countedAt != nil
    case "replaced" where words.count == 4:
      guard let operation = Digest(hex: String(words[1])), let file = FileID(hex: String(words[2])),
        let seconds = UInt64(words[3])
      else { return false }
      replaced[Version(operation: operation, file: file)] = seconds
      return true
    default: return false
    }
  }

  /// The contents of the file.
  var bytes: [UInt8] {
    var text: [UInt8] = []
    let names = Names.allCases.reduce(0) { $0 + self[$1].count }
    text.reserveCapacity(256 + 48 * names + 128 * replaced.count)
    text += "\(Self.header)\n".utf8
    if let countedAt { text += "counted \(countedAt)\n".utf8 }
    for (version, seconds) in replaced.sorted(by: { $0.key.operation < $1.key.operation }) {
      text += "replaced \(version.operation) \(version.file) \(seconds)\n".utf8
    }
    for part in Names.allCases { Self.append(part.rawValue, self[part], to: &text) }
    text += "end\n".utf8
    return text
  }

  private static func append(_ word: String, _ names: OperationNames, to text: inout [UInt8]) {
    var writer: WriterID?
    for name in names {
      if name.writer != writer { text += "\(word) \(name.writer)\n".utf8 }
      writer = name.writer
      name.appendStem(to: &text)
      text.append(10)
    }
  }
}

extension LogHealth {
  /// Adds operations that this computer has opened before and that are gone.
  mutating func include(rolledBack names: OperationNames) {
    rolledBack += names.count
    for name in names { rolledBackBy[name.writer, default: 0] += 1 }
  }
}

extension StateFolder {
  /// The memory of files; empty where there is nothing.
  ///
  /// - Throws: as ``read(_:limit:header:_:)``.
  func files(of namespace: NamespaceID) throws(BackupFolderError) -> FileMemory {
    let own = try read(
      "\(namespace).files", limit: FileMemory.limit, header: FileMemory.header
    ) { FileMemory($0) }
    if let own { return own }
    return try origins(of: namespace).reduce(into: FileMemory()) {
      if let other = try? $1.folder.files(of: namespace) { $0.inherit(other) }
    }
  }

  /// Replaces the memory of files.
  func save(_ files: FileMemory, of namespace: NamespaceID) throws(BackupFolderError) {
    try replace("\(namespace).files", with: files.bytes)
    try directory.sync()
  }
}

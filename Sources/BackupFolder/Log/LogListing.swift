internal import CSPP
internal import Glibc

/// One file of the logs.
enum LogFile: Hashable {
  /// A file whose name and folder are those of an operation, whether that is true or not.
  case operation(OperationName)
  /// Any other file.
  case other(folder: String, file: String)

  /// The folder of its writer, relative to `keybackup/log/`.
  var folder: String {
    switch self {
    case .operation(let name): name.writer.hex
    case .other(let folder, _): folder
    }
  }

  /// Its name in that folder.
  var file: String {
    switch self {
    case .operation(let name):
      var text: [UInt8] = []
      name.appendStem(to: &text)
      return String(decoding: text, as: UTF8.self) + ".json"
    case .other(_, let file): return file
    }
  }

  /// Its path relative to the folder of all writers.
  var path: String { "\(folder)/\(file)" }

  /// The operation that the file's name claims, for a file whose contents do not tell.
  var claimedName: OperationName? {
    switch self {
    case .operation(let name): name
    // A placeholder, a name without its suffix, or one with additional zeroes.
    case .other(let folder, let file):
      Self.claimedName(folder, SyncPlaceholder.awaited(file) ?? file)
    }
  }

  /// The operation of which the file is a copy by its name, also one that a sync program made; nil for
  /// another program's file.
  var copied: OperationName? {
    if let claimedName { return claimedName }
    guard case .other(let folder, let file) = self, let writer = Self.writer(folder) else {
      return nil
    }
    return OwnName.find(in: file, suffix: ".json") { (text) -> OperationName? in
      let counter = text.prefix { $0 != UInt8(ascii: "-") }
      let digest = OwnName.digits(32, of: text[counter.endIndex...].dropFirst())
      return digest.flatMap { OperationName("\(writer)/\(Substring(counter))-\($0)") }
    }
  }

  /// The writer of a folder, or of a copy of it, by the folder's name.
  fileprivate static func writer(_ folder: String) -> WriterID? {
    OwnName.find(in: folder, suffix: "") { text in
      OwnName.digits(32, of: text).flatMap { WriterID(hex: $0) }
    }
  }
}

/// Every file in every folder of a log folder, except temporary ones, which were never placed.
struct LogListing {
  /// The most operation names that are kept, at 48 bytes each; all these files must be read.
  private static let operationLimit = 1 << 21
  /// The most other names that are kept.
  private static let otherLimit = 1 << 14

  private var operations: [OperationName] = []
  private var others: [LogFile] = []
  /// Folders that could not be listed.
  private(set) var unlisted: [(folder: String, error: BackupFolderError)] = []
  /// Whether there were files that were never placed.
  private(set) var hasTemporaryFiles = false
  /// The number of files beyond these limits.
  private(set) var surplus = 0
  /// Distinguishes this listing from others in this process.
  private(set) var mark = Mark()

  /// The sum of the names' hashes, keyed with this process's secret.
  ///
  /// The same names in any order give the same sum.
  struct Mark: Equatable {
    private var count = 0
    private var sum = 0

    mutating func add(_ file: LogFile) {
      count += 1
      sum &+= file.hashValue
    }
  }

  /// Lists a log folder.
  ///
  /// - Parameters:
  ///   - folder: the log folder.
  ///   - isTolerant: whether folders that cannot be listed are only recorded. Operations in them
  ///     must not look like missing ones.
  /// - Throws: if a listing fails.
  init(_ folder: Directory, isTolerant: Bool = false) throws(BackupFolderError) {
    unlisted = try Self.forEachWriter(folder, isTolerant: isTolerant) {
      (name, stream) throws(BackupFolderError) in
      let bytes = Array(name.utf8)
      let writer = SIMD2(hexDigits: bytes.span).map { WriterID(words: $0) }
      while let file = try stream.next({ LogFile($0, folder: name, writer) }) {
        guard let file else {
          hasTemporaryFiles = true
          continue
        }
        mark.add(file)
        if case .operation(let operation) = file, operations.count < Self.operationLimit {
          operations.append(operation)
        } else if others.count < Self.otherLimit {
          others.append(file)
        } else {
          surplus += 1
        }
      }
    }
  }

  /// The files in the order of reading.
  ///
  /// A writer's lower counters come first, so that a chain is followed from its start.
  consuming func inOrder() -> some Sequence<LogFile> {
    others.sort { $0.path < $1.path }
    operations.sort { $0.counter != $1.counter ? $0.counter < $1.counter : $0 < $1 }
    let (first, second) = (others, operations)
    return (0..<first.count + second.count).lazy.map {
      $0 < first.count ? first[$0] : .operation(second[$0 - first.count])
    }
  }

  /// The operations that the files' names claim.
  var claimedNames: OperationNames {
    OperationNames(operations + others.compactMap(\.claimedName))
  }

  /// The number of files to be read.
  var count: Int { operations.count + others.count }

  /// Counts the files in a log folder that can be operations by their names.
  static func count(_ folder: Directory) throws(BackupFolderError) -> Int {
    var count = 0
    _ = try forEachWriter(folder, isTolerant: true) { (name, stream) throws(BackupFolderError) in
      while let file = try stream.next({ LogFile($0, folder: name, nil) }) {
        if file?.copied != nil { count += 1 }
      }
    }
    return count
  }

  /// - Returns: the folders that could not be listed.
  private static func forEachWriter(
    _ folder: Directory, isTolerant: Bool,
    _ body: (String, inout NameStream) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) -> [(folder: String, error: BackupFolderError)] {
    var unlisted: [(folder: String, error: BackupFolderError)] = []
    var names = try NameStream(folder)
    while let name = try names.next({ String(repairing: $0) }) {
      do throws(BackupFolderError) {
        guard let writer = try folder.readableSubdirectory(name) else { continue }
        var stream = try NameStream(writer)
        try body(name, &stream)
      } catch {
        // Another program's folder, such as one of a file server's own.
        if error != .interrupted, LogFile.writer(name) == nil { continue }
        guard isTolerant, error != .interrupted else { throw error }
        if unlisted.count < 1 << 12 { unlisted.append((name, error)) }
      }
    }
    return unlisted
  }
}

extension LogFile {
  private static func claimedName(_ folder: String, _ file: String) -> OperationName? {
    OperationName("\(folder)/\(file.hasSuffix(".json") ? file.dropLast(5) : file[...])")
  }

  /// Whether a name is that of a file that was never placed.
  ///
  /// A sync program's conflict copy has words before it: all of the name is an extension to it.
  static func isTemporary(_ name: Span<UInt8>) -> Bool {
    (0..<name.count).contains { place in
      name[place] == UInt8(ascii: ".")
        && name.extracting(place...).starts(with: ".keybackup-tmp-")
    }
  }

  /// Creates the value for a listed file; nil for a temporary one.
  fileprivate init?(_ name: Span<UInt8>, folder: String, _ writer: WriterID?) {
    // The name must match exactly: with an additional zero it is another file.
    if let writer, name.count > 5, name.ends(with: ".json"),
      let operation = OperationName(writer: writer, stem: name.extracting(droppingLast: 5)),
      operation.stemCount == name.count - 5
    {
      self = .operation(operation)
    } else if Self.isTemporary(name) {
      return nil
    } else {
      self = .other(folder: folder, file: String(repairing: name))
    }
  }
}

/// Opens log files; keeps the folders of some writers open.
struct LogFiles {
  /// The most folders that are open at a time.
  private static let openLimit = 32

  private let folder: Directory
  private var writers: [String: Directory] = [:]

  init(_ folder: Directory) { self.folder = folder }

  /// Reads a file.
  mutating func read(
    _ file: LogFile, into buffer: inout FileBuffer, limit: Int
  ) throws(FileProblem) {
    guard let writer = try open(file.folder) else { throw .absent }
    try buffer.read(file.file, in: writer, limit: limit)
  }

  /// Whether a writer's folder has a file of that name.
  mutating func holds(_ file: String, of folder: String) -> Bool {
    (try? open(folder))??.holds(file) ?? false
  }

  private mutating func open(_ name: String) throws(FileProblem) -> Directory? {
    if let open = writers[name] { return open }
    let found: Directory?
    do throws(BackupFolderError) {
      found = try folder.readableSubdirectory(name)
    } catch .permissionDenied {
      throw .system(EACCES)
    } catch .unreachable(let code, _) {
      throw .system(code)
    } catch {
      throw .system(EIO)
    }
    if writers.count == Self.openLimit { writers = [:] }
    writers[name] = found
    return found
  }
}

internal import CSPP
internal import Glibc
internal import SecretMemory

extension BackupFolder {
  /// The state files of the folder on this computer that cannot be read: damaged, written by a newer
  /// program, or forbidden.
  ///
  /// No program may continue to write the backup with such files.
  public func unusableMemories() -> [BackupFolderError] {
    var problems: [BackupFolderError] = []
    func collect(_ look: () throws(BackupFolderError) -> [BackupFolderError]) {
      do throws(BackupFolderError) {
        problems += try look()
      } catch {
        // One folder may keep both from being read.
        if error.isAboutMemory, !problems.contains(error) { problems.append(error) }
      }
    }
    collect { () throws(BackupFolderError) in
      try StateFolder(path: settings.stateFolder, folder: root, make: false).unusable()
    }
    collect { () throws(BackupFolderError) in try silentFolder(make: false)?.unusable() ?? [] }
    return problems
  }
}

extension BackupFolder {
  /// Makes the folder in which this computer remembers this one, and throws if a writing run could not
  /// keep its lock and what it saw there.
  ///
  /// - Throws: system errors, with the path of the folder that is in the way.
  public func requireWritableMemory() throws(BackupFolderError) {
    let memory = try StateFolder(path: settings.stateFolder, folder: root, make: true).directory
    for (name, mode) in [(".", W_OK | X_OK), ("lock", R_OK | W_OK)] {
      let (_, code) = SystemCall.retrying { unsafe faccessat(memory.descriptor, name, mode, 0) }
      if code != 0, code != ENOENT { throw .system(code, memory.path) }
    }
  }
}

/// The files in which this computer remembers one backup folder, outside that folder.
///
/// A few small files per namespace in `<state>/memory/<folder>/`, where `<folder>` is the start of
/// the SHA-256 of the folder's path. They hold no secrets.
///
/// Each path has a folder and a writer ID of its own, so that no counter is claimed twice where two
/// copies of a backup are in use. What is remembered of a namespace at other paths is read where this
/// path has nothing, and goes into its folder with the first save (`OtherPaths.swift`).
struct StateFolder: Sendable {
  /// The folder of this path; nil if nothing was remembered here yet.
  let own: Directory?
  /// The backup folder, and the folder with those of all paths; nil for a folder that stands alone.
  let surroundings: (folder: Directory, all: Directory)?
  private static let memoryLimit = 64 * 1024 * 1024

  /// Wraps a state folder that is open.
  init(directory: Directory) {
    own = directory
    surroundings = nil
  }

  /// The folder of this path.
  ///
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)`` if nothing was remembered here yet.
  var directory: Directory {
    get throws(BackupFolderError) {
      if let own { return own }
      throw .noSuchFolder(path: surroundings?.all.path ?? "memory")
    }
  }

  /// Opens the state folder of `folder`.
  ///
  /// - Parameters:
  ///   - path: the program's state folder.
  ///   - folder: the backup folder.
  ///   - make: whether to create missing folders.
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)``; system errors.
  init(path: String, folder: Directory, make: Bool) throws(BackupFolderError) {
    do throws(BackupFolderError) {
      let all: Directory? =
        try make
        ? Directory.make(path: path).makeSubdirectory("memory")
        : Directory.open(path: path).subdirectory("memory")
      guard let all else { throw .noSuchFolder(path: "\(path)/memory") }
      let name = Self.name(of: folder)
      own = try make ? all.makeSubdirectory(name) : all.subdirectory(name)
      surroundings = (folder, all)
    } catch {
      switch error {
      case .notAFolder(let path), .notRegular(let path): throw .memoryNotAFolder(path: path)
      default: throw error
      }
    }
  }

  /// The name of the state folder of a folder.
  static func name(of folder: Directory) -> String {
    String(Digest(of: folder.canonicalPathBytes().span).hex.prefix(32))
  }

  /// Takes the lock that every writing run holds.
  func lock(
    patience: Duration = FileLock.patience
  ) throws(BackupFolderError) -> FileLock {
    let lock = try FileLock.take("lock", in: directory, patience: patience)
    // It is for words only.
    try? rememberPath()
    return lock
  }

  /// Removes temporary files that a crash left here, and the caches of earlier programs
  /// (docs/decisions/0039).
  ///
  /// Only the holder of the lock writes such files.
  func removeStaleFiles() throws(BackupFolderError) {
    let directory = try directory
    for name in try directory.names()
    where name.hasPrefix(AtomicFile.temporaryPrefix) || name.hasSuffix(".cache") {
      try directory.unlink(name)
    }
  }

  /// A random word in the names of this computer's temporary files; it lasts as long as the state
  /// folder.
  func temporaryTag() throws(BackupFolderError) -> String {
    let name = "temporary-tag"
    var buffer = FileBuffer()
    do {
      try buffer.read(name, in: directory, limit: 64)
      let tag = buffer.withBytes { (bytes) in
        unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
      }
      if tag.utf8.count == 16, tag.utf8.allSatisfy({ Hex.isDigit($0) }) { return tag }
    } catch {
      // The tag is missing or invalid, so a new one is created.
    }
    let tag = Hex.string(Randomness.bytes(count: 8))
    try replace(name, with: Array(tag.utf8))
    return tag
  }

  /// Replaces a file after checking the staged bytes.
  func replace(_ name: String, with bytes: [UInt8]) throws(BackupFolderError) {
    try unsafe replace(name, with: bytes.span.bytes)
  }

  /// Replaces a file, whose bytes may be secret, after checking the staged ones.
  func replace(_ name: String, with bytes: RawSpan) throws(BackupFolderError) {
    try directory.replace(name, with: bytes, tag: "memory")
  }

  /// The namespaces for which a state exists at this path.
  func namespaces() throws(BackupFolderError) -> [NamespaceID] {
    try (own?.names() ?? []).compactMap { NamespaceID(hex: $0) }
  }

  /// The state of a namespace; empty when nothing is remembered.
  ///
  /// - Throws: as ``read(_:limit:header:_:)``.
  func localState(of namespace: NamespaceID) throws(BackupFolderError) -> LocalState {
    if let own = try ownState(of: namespace) { return own }
    return try inheritedState(of: namespace)
  }

  /// The state of a namespace at this path; nil when nothing is remembered.
  ///
  /// - Throws: as ``read(_:limit:header:_:)``.
  func ownState(of namespace: NamespaceID) throws(BackupFolderError) -> LocalState? {
    try read(namespace.hex, limit: Self.memoryLimit, header: LocalState.header) { LocalState($0) }
  }

  /// The same state for reading only: empty where the file cannot be used.
  func readableMemory(of namespace: NamespaceID) -> LocalState {
    (try? localState(of: namespace)) ?? LocalState()
  }

  /// Whether this computer has opened a namespace, even if it can no longer read the state.
  func knows(_ namespace: NamespaceID) -> Bool {
    guard let localState = try? localState(of: namespace) else { return true }
    return !localState.operations.isEmpty
  }

  /// Whether this computer has opened a namespace at this path, as ``knows(_:)``.
  func knowsHere(_ namespace: NamespaceID) -> Bool {
    do throws(BackupFolderError) {
      return try ownState(of: namespace)?.operations.isEmpty == false
    } catch {
      return true
    }
  }

  /// Reads one of this computer's own files.
  ///
  /// A file is on the disk before it gets its name, so no crash leaves it empty or cut off.
  ///
  /// - Parameters:
  ///   - name: the file's name.
  ///   - limit: its largest size in bytes.
  ///   - header: its first line, which ends with the newest version that this program knows.
  ///   - parse: returns nil for bytes that it cannot read.
  /// - Returns: nil where there is no such file.
  /// - Throws: ``BackupFolderError/memoryUnusable(path:isNewer:)``, so that nobody overwrites what
  ///   another program or a person may still read; system errors.
  func read<T>(
    _ name: String, limit: Int, header: String, _ parse: (Span<UInt8>) -> T?
  ) throws(BackupFolderError) -> T? {
    guard let directory = own else { return nil }
    let path = "\(directory.path)/\(name)"
    var buffer = FileBuffer()
    do {
      try buffer.read(name, in: directory, limit: limit)
    } catch .absent {
      return nil
    } catch .incomplete {
      throw .memoryUnusable(path: path, isNewer: false)
    } catch {
      throw error.error(path)
    }
    if let found = buffer.withBytes({ parse($0) }) { return found }
    let isNewer = buffer.withBytes { Self.isNewer($0, than: header) }
    throw .memoryUnusable(path: path, isNewer: isNewer)
  }

  /// Whether a newer program wrote a file: its first line is a header with a higher version.
  private static func isNewer(_ bytes: Span<UInt8>, than header: String) -> Bool {
    var line: [UInt8] = []
    for index in bytes.indices.prefix(64) where !line.contains(10) { line.append(bytes[index]) }
    let found = String(decoding: line, as: UTF8.self).split(separator: "\n").first?.split(
      separator: " ")
    let known = header.split(separator: " ")
    guard let found, found.count == 2, found[0] == known[0], let version = Int(found[1]),
      let newest = Int(known[1])
    else { return false }
    return version > newest
  }

  /// The files here that cannot be used, in order.
  func unusable() throws(BackupFolderError) -> [BackupFolderError] {
    var problems: [BackupFolderError] = []
    for name in try own?.names() ?? [] {
      let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let id = NamespaceID(hex: String(parts[0])) else { continue }
      do throws(BackupFolderError) {
        switch parts.count == 1 ? "" : parts[1] {
        case "": _ = try localState(of: id)
        case "ways": _ = try slots(of: id)
        case "credentials": _ = try credentials(of: id)
        case "files": _ = try files(of: id)
        default: break
        }
      } catch {
        if error.isAboutMemory { problems.append(error) }
      }
    }
    return problems + unusableElsewhere().filter { !problems.contains($0) }
  }

  /// Replaces the state of a namespace.
  func save(_ localState: LocalState, of namespace: NamespaceID) throws(BackupFolderError) {
    if localState.isInherited { try carryOver(namespace) }
    try replace(namespace.hex, with: localState.bytes)
    try directory.sync()
  }

}

extension BackupFolderError {
  /// Whether it is about a state file that nobody may write over.
  var isAboutMemory: Bool {
    switch self {
    case .memoryUnusable, .permissionDenied: true
    default: false
    }
  }
}

extension Namespace {
  /// The folder in which this computer remembers the backup folder.
  ///
  /// - Parameter make: whether to create missing folders; a reading run with nothing to remember
  ///   leaves no trace.
  /// - Returns: the state folder.
  /// - Throws: ``BackupFolderError/noSuchFolder(path:)`` when it is missing and must not be
  ///   created; system errors.
  func state(make: Bool) throws(BackupFolderError) -> StateFolder {
    try StateFolder(path: settings.stateFolder, folder: folder, make: make)
  }
}

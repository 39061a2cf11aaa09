internal import BackupFolder
internal import CLinux
package import CSPP
package import CommandKit
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc
internal import SecretMemory
internal import Synchronization

/// The folder that files are restored into, those of the backup as `<label>/<name>`.
///
/// A file gets its name when all of it is there, checked and durable. Nothing gets a name that is
/// taken, and no symbolic link below the folder is followed. A name that the file system cannot have
/// is replaced by one that it can.
package final class RestoredTree: Sendable {
  /// How a file ended; the paths are below the folder.
  package enum Placed: Equatable, Sendable {
    case written(String)
    /// A file of this name holds the same already.
    case there(String)
    /// Something else has the name. It stays as it is.
    case taken
    /// This file cannot be written here; others may be.
    case refused(UserMessage)
  }

  /// Attributes of a restored file.
  package struct Attributes: Sendable {
    package let size: UInt64
    /// Unix seconds.
    package let modified: UInt64
    package let mode: UInt16
    package let content: Digest

    package init(size: UInt64, modified: UInt64, mode: UInt16, content: Digest) {
      self.size = size
      self.modified = modified
      self.mode = mode
      self.content = content
    }
  }

  private let root: Int32
  /// Whether the folder was not there before.
  private let isMade: Bool
  /// The folder as the person named it.
  package let path: String
  private let run: Run
  /// The paths that this value gave to files.
  private struct Given {
    /// With the path that the file should have had.
    var wanted: [NameBytes: NameBytes] = [:]
    /// As ``FittingNames/folded(_:)`` has them.
    var folded: Set<String> = []
    /// The folders in which nothing is left of earlier runs.
    var cleared: Set<String> = []
    /// The paths that files and folders should have, as ``FittingNames/folded(_:)`` has them.
    var reserved: Set<String> = []
    /// The folders of this run, with the path that each should have had.
    var folders: [FolderIdentity: NameBytes] = [:]
  }
  /// A folder, under whatever name.
  private struct FolderIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
  }
  private let given = Mutex(Given())

  /// Makes the folder, or takes an existing one.
  ///
  /// - Throws: `cannot-create`.
  package init(path: String, _ run: Run) throws(UserMessage) {
    if let advice = FileCheck.unexpanded(path) {
      throw UserMessage(
        .cannotCreate, "the folder \(ShellWord.quoted(path)) cannot be made", hint: advice)
    }
    isMade = unsafe mkdir(path, 0o700) == 0
    if !isMade, errno != EEXIST {
      throw UserMessage(
        .cannotCreate, "the folder \(ShellWord.quoted(path)) cannot be made: \(systemText(errno))",
        hint: "choose another place for --out")
    }
    root = unsafe keybackup_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard root >= 0 else {
      throw UserMessage(
        .cannotCreate, "\(ShellWord.quoted(path)) cannot be used: \(systemText(errno))",
        hint: "choose another place for --out")
    }
    self.path = path
    self.run = run
    guard isMade else { return }
    // The name of a new folder is durable with the folder that holds it. It is made all the same
    // where nobody may open that one.
    let parent = unsafe keybackup_openat(root, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if parent < 0 { return }
    defer { close(parent) }
    try Self.sync(parent, shown: path)
  }

  deinit {
    if root >= 0 { close(root) }
    // A run that restored nothing leaves nothing: only an empty folder can be removed so.
    if isMade { unsafe rmdir(path) }
  }

  /// Keeps names for the files that they belong to: no other one gets such a name in the place of
  /// its own.
  ///
  /// - Parameter paths: files below the folder, whether they will be written or not.
  package func reserve(_ paths: [String]) {
    given.withLock {
      for path in paths {
        // The names of its folders, too.
        var part = FittingNames.folded(path)
        while $0.reserved.insert(part).inserted, let slash = part.lastIndex(of: "/") {
          part = String(part[..<slash])
        }
      }
    }
  }

  private func isReserved(_ path: String) -> Bool {
    let folded = FittingNames.folded(path)
    return given.withLock { $0.reserved.contains(folded) }
  }

  /// Writes one file.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - folders: the folders below the root, from the outermost; they are made.
  ///   - attributes: of the version.
  ///   - read: gives the contents to a closure, and throws unless they were all right. The second
  ///     closure takes back what was given.
  /// - Returns: whether a name now holds the version.
  /// - Throws: why no file can be written any more: `cannot-create`, `io`; and the errors of `read`.
  ///   No file of that name is left then.
  package func write(
    _ name: String, in folders: [String], _ attributes: Attributes,
    read: (
      (RawSpan) throws(UserMessage) -> Void, () throws(UserMessage) -> Void
    ) throws(UserMessage) -> Void
  ) throws(UserMessage) -> Placed {
    let shown = ([path] + folders + [name]).joined(separator: "/")
    switch folder(folders) {
    case .open(let folder, let names):
      defer {
        close(folder)
        if isMade { removeEmpty(names) }
      }
      if given.withLock({ $0.cleared.insert(names.joined(separator: "/")).inserted }) {
        PartFile.removeLeft(in: folder)
      }
      let part = PartFile(in: folder, root: path, shown: shown, run)
      do throws(UserMessage) {
        return try place(
          part, name, in: folder, names, of: folders, attributes, read)
      } catch {
        // What the reader throws is for the caller. A write may fail for this file alone.
        guard part.problem != 0, !endsAll(part.problem) else { throw error }
        return .refused(error)
      }
    case .taken: return .taken
    case .refused(let code):
      let error = UserMessage(
        .cannotCreate,
        "the folder of \(ShellWord.quoted(shown)) cannot be made: \(systemText(code))",
        hint: "choose another place for --out")
      if endsAll(code) { throw error }
      return .refused(error)
    }
  }

  private func place(
    _ part: PartFile, _ name: String, in folder: Int32, _ folders: [String],
    of wantedFolders: [String], _ attributes: Attributes,
    _ read: (
      (RawSpan) throws(UserMessage) -> Void, () throws(UserMessage) -> Void
    ) throws(UserMessage) -> Void
  ) throws(UserMessage) -> Placed {
    var problem: Int32 = 0
    let wanted = (wantedFolders + [name]).joined(separator: "/")
    for candidate in FittingNames.all(for: name) {
      if NameBytes(candidate) != NameBytes(name),
        isReserved((wantedFolders + [candidate]).joined(separator: "/"))
      {
        continue
      }
      let below = (folders + [candidate]).joined(separator: "/")
      var found = look(candidate, in: folder, at: below, for: wanted, attributes)
      if found == .free {
        if !part.isFilled { try part.fill(attributes, read) }
        let code = part.place(candidate)
        if code == 0 {
          give(below, to: wanted)
          try part.sync()
          return .written(below)
        }
        if code != EEXIST {
          // A full disk is no matter of the name.
          if problem == 0 || endsAll(code) { problem = code }
          if endsAll(code) { break }
          continue
        }
        // Somebody was faster, or the file system has it in another form.
        found = look(candidate, in: folder, at: below, for: wanted, attributes)
      }
      switch found {
      case .same:
        give(below, to: wanted)
        return .there(below)
      case .other: return .taken
      case .otherForm, .free: continue
      }
    }
    if problem == 0 { return .taken }
    throw part.failure(problem, endsAll(problem) ? .io : .cannotCreate)
  }

  // MARK: Names

  /// The file that has a name already.
  private enum Found {
    case free
    case same
    case other
    /// The file system takes the name for another file's.
    case otherForm
  }

  private func look(
    _ name: String, in folder: Int32, at below: String, for wanted: String,
    _ attributes: Attributes
  ) -> Found {
    guard let holds = Self.holds(name, in: folder, attributes) else { return .free }
    let (other, isFolded) = given.withLock {
      ($0.wanted[NameBytes(below)], $0.folded.contains(FittingNames.folded(below)))
    }
    // Another file of this run got it in the place of its own name.
    if let other, other != NameBytes(wanted) { return .otherForm }
    // Exactly this name was there before.
    if Self.lists(name, in: folder) { return holds ? .same : .other }
    return holds && !isFolded ? .same : .otherForm
  }

  /// Notes that a file of this run has a path.
  private func give(_ below: String, to wanted: String) {
    given.withLock {
      $0.wanted[NameBytes(below)] = NameBytes(wanted)
      $0.folded.insert(FittingNames.folded(below))
    }
  }

  /// Whether a folder lists exactly this name; also if it cannot be listed.
  private static func lists(_ name: String, in folder: Int32) -> Bool {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(folder)")
    return names?.contains { NameBytes($0) == NameBytes(name) } ?? true
  }

  /// Whether nothing can be written any more, as on a full disk, or where the folder is lost.
  private func endsAll(_ code: Int32) -> Bool {
    var status = stat()
    if SystemCall.endsAllWriting(code) { return true }
    guard code == ENOENT, unsafe fstat(root, &status) == 0 else { return false }
    return status.st_nlink == 0
  }

  /// Makes the names in a folder durable, where the file system can.
  private static func sync(_ folder: Int32, shown: String) throws(UserMessage) {
    guard fsync(folder) == 0 || errno == EINVAL else {
      throw UserMessage(
        .io, "\(ShellWord.quoted(shown)) could not be written: \(systemText(errno))")
    }
  }

  /// Removes the folders that hold nothing, from the innermost.
  private func removeEmpty(_ folders: [String]) {
    for count in stride(from: folders.count, to: 0, by: -1) {
      // This does nothing to one with files.
      unsafe unlinkat(root, folders.prefix(count).joined(separator: "/"), AT_REMOVEDIR)
    }
  }

  /// A folder below the root.
  private enum Opened {
    /// The open folder, and the names on the way to it.
    case open(Int32, [String])
    /// Something else has one of the names.
    case taken
    case refused(Int32)
  }

  /// Opens a folder below the root, and makes it where it is not there.
  private func folder(_ wanted: [String]) -> Opened {
    var folder = unsafe keybackup_openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if folder < 0 { return .refused(errno) }
    var names: [String] = []
    for (count, name) in wanted.enumerated() {
      let outer = folder
      defer { close(outer) }
      switch step(name, in: outer, of: wanted.prefix(count)) {
      case .open(let next, let step):
        folder = next
        names += step
      case let failed: return failed
      }
    }
    return .open(folder, names)
  }

  private func step(
    _ wanted: String, in outer: Int32, of wantedFolders: ArraySlice<String>
  ) -> Opened {
    var problem: Int32 = 0
    let path = (wantedFolders + [wanted]).joined(separator: "/")
    for name in FittingNames.all(for: wanted) {
      if NameBytes(name) != NameBytes(wanted),
        isReserved((wantedFolders + [name]).joined(separator: "/"))
      {
        continue
      }
      var isNew = false
      if unsafe mkdirat(outer, name, 0o700) == 0 {
        isNew = true
        _ = fsync(outer)
      } else if errno != EEXIST {
        if problem == 0 { problem = errno }
        if SystemCall.endsAllWriting(errno) { return .refused(errno) }
        continue
      }
      let folder = unsafe keybackup_openat(
        outer, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
      if folder >= 0 {
        if take(folder, for: path, isNew: isNew) { return .open(folder, [name]) }
        close(folder)
        continue
      }
      // Something else has the name; in another form it takes it from nobody. A file may be a wallet
      // or the explanation of this restore, which no computer's name may keep back.
      if Self.lists(name, in: outer), !Self.isFile(name, in: outer) { return .taken }
    }
    return problem == 0 ? .taken : .refused(problem)
  }

  /// Takes a folder for the files of one wanted path.
  ///
  /// - Returns: false where another path of this run has it: the file system takes two names for one.
  private func take(_ folder: Int32, for wanted: String, isNew: Bool) -> Bool {
    var status = stat()
    guard unsafe fstat(folder, &status) == 0 else { return true }
    let identity = FolderIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    return given.withLock {
      if !isNew, let other = $0.folders[identity] { return other == NameBytes(wanted) }
      $0.folders[identity] = NameBytes(wanted)
      return true
    }
  }

  private static func isFile(_ name: String, in folder: Int32) -> Bool {
    var status = stat()
    return unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether a file of this name holds the version already; nil: the name is free.
  private static func holds(
    _ name: String, in folder: Int32, _ attributes: Attributes
  ) -> Bool? {
    var status = stat()
    guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG, UInt64(max(0, status.st_size)) == attributes.size
    else { return false }
    let file = unsafe keybackup_openat(
      folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    guard file >= 0 else { return false }
    defer { close(file) }
    var digest = SHA256()
    var buffer = SecretBytes(zeroed: 256 * 1024)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(file, $0.baseAddress, $0.count)
      }
      if count < 0 { return false }
      if count == 0 { break }
      buffer.withBytes { digest.update($0.extracting(0..<count)) }
    }
    return digest.finalize() == attributes.content.bytes
  }
}

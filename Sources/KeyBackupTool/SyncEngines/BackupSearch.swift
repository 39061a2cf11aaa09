internal import BackupFolder
internal import CLinux
internal import CSPP
internal import Glibc
internal import Synchronization

/// A folder that could not be searched: a backup may be in it.
struct UnsearchedFolder: Sendable, Equatable {
  enum Reason: Sendable {
    case silent, unreadable, unusualName, link, tooMuch
  }

  let path: String
  let reason: Reason
  /// The place that a link leads to.
  var target: String?

  var words: String {
    let shown = ShellWord.quoted(path)
    return switch reason {
    case .silent: "not looked into: \(shown), which does not answer"
    case .unreadable: "not looked into: \(shown), which cannot be read"
    case .unusualName: "a backup is in \(shown), whose name is not UTF-8: rename it"
    case .link: "the link \(shown) leads to a backup"
    case .tooMuch: "not searched to the end: \(shown)"
    }
  }
}

/// The backups in a folder and directly in it.
///
/// Folders are listed and no file is read, so no sync program downloads one.
struct BackupSearch: Sendable {
  private(set) var found: [String] = []
  private(set) var unsearched: [UnsearchedFolder] = []

  /// Searches a folder.
  ///
  /// The result has all that was found, also if a folder in it does not answer.
  ///
  /// - Parameters:
  ///   - path: the absolute path.
  ///   - itself: whether a backup in the folder itself counts.
  /// - Returns: the backups, and what could not be searched.
  static func run(_ path: String, itself: Bool) -> BackupSearch {
    let progress = Progress(path)
    guard answers(path, within: .seconds(3)) else {
      return BackupSearch(unsearched: [UnsearchedFolder(path: path, reason: .silent)])
    }
    let ended = TimeLimit.result(within: 3) {
      let walk = BackupWalk(progress)
      walk.search(path, itself: itself)
      return true
    }
    var (search, current) = progress.state.withLock { $0 }
    if ended == nil { search.unsearched.append(UnsearchedFolder(path: current, reason: .silent)) }
    return search
  }

  /// The state of one folder, not of those in it.
  ///
  /// - Returns: nil: it cannot be told.
  static func holds(_ path: String) -> Bool? {
    guard answers(path, within: .seconds(3)) else { return nil }
    let answer = TimeLimit.result(within: 3) { BackupWalk(Progress(path)).verdict(at: path) }
    return switch answer {
    case .yes: true
    case .no: false
    case .unknown, nil: nil
    }
  }

  /// Whether a folder itself looks like a namespace.
  static func isNamespace(_ path: String) -> Bool {
    guard answers(path, within: .seconds(3)) else { return false }
    return TimeLimit.result(within: 3) { BackupWalk(Progress(path)).isNamespace(at: path) } ?? false
  }

  /// Whether a folder answers: this process could not end before one does that it has opened.
  fileprivate static func answers(_ path: String, within limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    return FolderAnswer.comes(from: path) {
      !Interruption.received && ContinuousClock.now < end
    }
  }

  /// The result so far, which remains when a folder does not answer.
  fileprivate final class Progress: Sendable {
    let state: Mutex<(search: BackupSearch, current: String)>
    init(_ path: String) { state = Mutex((BackupSearch(), path)) }

    func enter(_ path: String) { state.withLock { $0.current = path } }
    func found(_ path: String) { state.withLock { $0.search.found.append(path) } }
    func missed(_ path: String, _ reason: UnsearchedFolder.Reason, target: String? = nil) {
      state.withLock {
        $0.search.unsearched.append(UnsearchedFolder(path: path, reason: reason, target: target))
      }
    }
  }
}

/// One search on the thread that may never return.
private final class BackupWalk {
  enum Verdict: Sendable {
    case yes, no, unknown
  }

  private enum Kind {
    case folder, link, other
  }

  /// The most folders that are looked into.
  private static let mostFolders = 1000
  /// The names that may still be listed.
  private var namesLeft = 200_000
  private let end = ContinuousClock.now + .seconds(2)
  /// The folders at which something is mounted.
  private let mountPoints = Set(MountTable.current().all.map(\.point))
  private let progress: BackupSearch.Progress

  init(_ progress: BackupSearch.Progress) { self.progress = progress }

  func search(_ path: String, itself: Bool) {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else {
      if !Self.isAbsent(errno) { progress.missed(path, .unreadable) }
      return
    }
    defer { close(folder) }
    if itself {
      switch verdict(folder) {
      case .yes: progress.found(path)
      case .no: break
      case .unknown: progress.missed(path + "/" + FolderLayout.namespaces, .unreadable)
      }
    }
    var names: [(bytes: [CChar], kind: Kind)] = []
    let isWhole = unsafe each(folder) { name, kind in
      if unsafe kind != .other && name[0] != CChar(bitPattern: UInt8(ascii: ".")) {
        let bytes = unsafe Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
        names.append((bytes, kind))
      }
      return true
    }
    if !isWhole || names.count > Self.mostFolders { progress.missed(path, .tooMuch) }
    names.sort { left, right in
      left.bytes.lexicographicallyPrecedes(right.bytes) {
        UInt8(bitPattern: $0) < UInt8(bitPattern: $1)
      }
    }
    for (bytes, kind) in names.prefix(Self.mostFolders) {
      guard ContinuousClock.now < end, namesLeft > 0 else {
        progress.missed(path, .tooMuch)
        return
      }
      look(bytes, kind, in: folder, path)
    }
  }

  private func look(_ name: [CChar], _ kind: Kind, in folder: Int32, _ path: String) {
    let bytes = name.dropLast().map { UInt8(bitPattern: $0) }
    let text = String(validating: bytes, as: UTF8.self)
    let place = path + "/" + (text ?? String(decoding: bytes, as: UTF8.self))
    progress.enter(place)
    if kind == .link || mountPoints.contains(place),
      !BackupSearch.answers(place, within: .seconds(1))
    {
      return progress.missed(place, .silent)
    }
    let follow = kind == .link ? 0 : O_NOFOLLOW
    let opened = unsafe keybackup_openat(
      folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow, 0)
    guard opened >= 0 else {
      if !Self.isAbsent(errno) { progress.missed(place, .unreadable) }
      return
    }
    defer { close(opened) }
    switch verdict(opened) {
    case .no: break
    case .unknown: progress.missed(place + "/" + FolderLayout.namespaces, .unreadable)
    case .yes where text == nil: progress.missed(place, .unusualName)
    // A link leads elsewhere, which is not synchronised. Where `init` puts a backup it is meant.
    case .yes where kind == .link && text != SyncFolder.subfolder:
      progress.missed(place, .link, target: FileCheck.absolute(place))
    case .yes: progress.found(place)
    }
  }

  func verdict(at path: String) -> Verdict {
    // The folder itself need not be readable, as a home's parent is not everywhere.
    guard let all = subfolder(path + "/" + FolderLayout.namespaces, AT_FDCWD) else {
      return Self.isAbsent(errno) ? .no : .unknown
    }
    defer { close(all) }
    return verdict(ofNamespaces: all)
  }

  /// Whether a folder has a namespace with anything in it, complete or not.
  private func verdict(_ folder: Int32) -> Verdict {
    guard let all = subfolder(FolderLayout.namespaces, folder) else {
      return Self.isAbsent(errno) ? .no : .unknown
    }
    defer { close(all) }
    return verdict(ofNamespaces: all)
  }

  private func verdict(ofNamespaces all: Int32) -> Verdict {
    var verdict = Verdict.no
    let isWhole = unsafe each(all) { name, kind in
      let text = unsafe String(cString: name)
      guard kind == .folder, NamespaceID(hex: text) != nil else { return true }
      guard let namespace = subfolder(text, all) else {
        // It exists; opening it tells why it cannot be read.
        if !Self.isAbsent(errno) { verdict = .yes }
        return verdict == .no
      }
      defer { close(namespace) }
      if isNamespace(namespace) { verdict = .yes }
      return verdict == .no
    }
    return isWhole ? verdict : .unknown
  }

  func isNamespace(at path: String) -> Bool {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return isNamespace(folder)
  }

  /// Whether a folder has what a namespace has: an envelope, or a file in one of its folders.
  private func isNamespace(_ folder: Int32) -> Bool {
    let folders = [FolderLayout.masterKeyFolder, FolderLayout.walletFolder, FolderLayout.ownFolder]
    var holds = false
    let isWhole = unsafe each(folder) { name, kind in
      let text = unsafe String(cString: name)
      if kind == .folder {
        holds = folders.contains(text) && holdsFile(text, folder, depth: 3)
      } else {
        holds = text.hasPrefix("masterkey-") || text.hasPrefix("wallet-")
      }
      return !holds
    }
    return holds || !isWhole
  }

  /// Whether a file is anywhere in a subfolder; one that cannot be read counts.
  private func holdsFile(_ name: String, _ parent: Int32, depth: Int) -> Bool {
    guard let folder = subfolder(name, parent) else { return !Self.isAbsent(errno) }
    defer { close(folder) }
    var holds = false
    let isWhole = unsafe each(folder) { name, kind in
      let text = unsafe String(cString: name)
      if text.hasPrefix(".keybackup-tmp-") { return true }
      holds = kind != .folder || depth == 0 || holdsFile(text, folder, depth: depth - 1)
      return !holds
    }
    return holds || !isWhole
  }

  // MARK: Folders

  private func subfolder(_ name: String, _ parent: Int32) -> Int32? {
    let opened = unsafe keybackup_openat(
      parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    return opened >= 0 ? opened : nil
  }

  /// Lends every name until `body` returns false.
  ///
  /// - Returns: false: some names were not listed.
  private func each(_ folder: Int32, _ body: (UnsafePointer<CChar>, Kind) -> Bool) -> Bool {
    let own = unsafe keybackup_openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard own >= 0 else { return false }
    guard let stream = unsafe fdopendir(own) else {
      close(own)
      return false
    }
    defer { unsafe closedir(stream) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { return errno == 0 }
      guard let name = unsafe keybackup_entry_name(entry) else { return false }
      if unsafe strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
      namesLeft -= 1
      guard namesLeft > 0, ContinuousClock.now < end else { return false }
      let kind = unsafe Self.kind(Int(entry.pointee.d_type), name, folder)
      guard unsafe body(name, kind) else { return true }
    }
  }

  private static func kind(_ type: Int, _ name: UnsafePointer<CChar>, _ folder: Int32) -> Kind {
    if type == Int(DT_DIR) { return .folder }
    if type == Int(DT_LNK) { return .link }
    guard type == Int(DT_UNKNOWN) else { return .other }
    var status = stat()
    guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .other }
    return switch status.st_mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }

  /// Whether a failure says that there is no such folder.
  private static func isAbsent(_ code: Int32) -> Bool {
    [ENOENT, ENOTDIR, ELOOP].contains(code)
  }
}

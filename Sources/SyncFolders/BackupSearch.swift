internal import BackupFolder
internal import CLinux
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import Glibc
internal import Synchronization

/// A folder that could not be searched: a backup may be in it.
package struct UnsearchedFolder: Sendable, Equatable {
  package enum Reason: Sendable {
    case silent, unreadable, unusualName, link, tooMuch
  }

  package let path: String
  package let reason: Reason
  /// The place that a link leads to.
  package var target: String?

  package var words: String {
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
    let answer = TimeLimit.result(within: 3) { try? BackupWalk(Progress(path)).holdsBackup(path) }
    return answer ?? nil
  }

  /// Whether a folder itself looks like a namespace.
  static func isNamespace(_ path: String) -> Bool {
    guard answers(path, within: .seconds(3)) else { return false }
    return TimeLimit.result(within: 3) { BackupWalk(Progress(path)).isNamespace(at: path) } ?? false
  }

  /// Whether a folder answers: this process could not end before one does that it has opened.
  fileprivate static func answers(_ path: String, within limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    var answers = FolderAnswers()
    return answers.come(from: path) {
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
  /// A folder is there and could not be listed.
  private struct Unreadable: Error {}

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
    do throws(Unreadable) {
      guard let folder = try unsafe open(path, in: AT_FDCWD, follows: true) else { return }
      defer { close(folder) }
      if itself, holdsBackup(folder, path) { progress.found(path) }
      searchBelow(folder, path)
    } catch {
      progress.missed(path, .unreadable)
    }
  }

  private func searchBelow(_ folder: Int32, _ path: String) {
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
    do throws(Unreadable) {
      guard let opened = try unsafe open(name, in: folder, follows: kind == .link) else { return }
      defer { close(opened) }
      guard holdsBackup(opened, place) else { return }
      if text == nil {
        progress.missed(place, .unusualName)
      } else if kind == .link, text != SyncFolder.subfolder {
        // A link leads elsewhere, which is not synchronised. Where `init` puts a backup it is meant.
        progress.missed(place, .link, target: FileCheck.absolute(place))
      } else {
        progress.found(place)
      }
    } catch {
      progress.missed(place, .unreadable)
    }
  }

  // MARK: What a folder holds

  /// Whether a folder holds a backup; no, and noted, where that cannot be told.
  private func holdsBackup(_ folder: Int32, _ path: String) -> Bool {
    do throws(Unreadable) {
      return try holdsNamespace(FolderLayout.namespaces, in: folder)
    } catch {
      progress.missed(path + "/" + FolderLayout.namespaces, .unreadable)
      return false
    }
  }

  /// Whether a folder holds a backup; it need not be readable itself, as a home's parent is not
  /// everywhere.
  ///
  /// - Throws: where that cannot be told.
  func holdsBackup(_ path: String) throws -> Bool {
    try holdsNamespace(path + "/" + FolderLayout.namespaces, in: AT_FDCWD)
  }

  /// Whether a folder of namespaces has one with anything in it, complete or not.
  private func holdsNamespace(
    _ namespaces: String, in parent: Int32
  ) throws(Unreadable) -> Bool {
    guard let all = try unsafe open(namespaces, in: parent) else { return false }
    defer { close(all) }
    var holds = false
    let isWhole = unsafe each(all) { name, kind in
      guard kind == .folder, unsafe NamespaceID(hex: String(cString: name)) != nil else {
        return true
      }
      // If it cannot be read, opening it tells why.
      holds = unsafe inFolder(name, all, orUnreadable: true, isNamespace)
      return !holds
    }
    guard isWhole else { throw Unreadable() }
    return holds
  }

  func isNamespace(at path: String) -> Bool {
    unsafe inFolder(path, AT_FDCWD, follows: true, orUnreadable: false, isNamespace)
  }

  /// Whether a folder has what a namespace has: an envelope, or a file in one of its folders.
  private func isNamespace(_ folder: Int32) -> Bool {
    let folders = [FolderLayout.masterKeyFolder, FolderLayout.walletFolder, FolderLayout.ownFolder]
    var holds = false
    let isWhole = unsafe each(folder) { name, kind in
      let text = unsafe String(cString: name)
      if kind == .folder {
        holds = unsafe folders.contains(text) && holdsFile(name, folder, depth: 3)
      } else {
        holds = text.hasPrefix("masterkey-") || text.hasPrefix("wallet-")
      }
      return !holds
    }
    return holds || !isWhole
  }

  /// Whether a file is anywhere in a subfolder; one that cannot be read counts.
  private func holdsFile(_ name: UnsafePointer<CChar>, _ parent: Int32, depth: Int) -> Bool {
    unsafe inFolder(name, parent, orUnreadable: true) { folder in
      var holds = false
      let isWhole = unsafe each(folder) { name, kind in
        if unsafe String(cString: name).hasPrefix(".keybackup-tmp-") { return true }
        holds = unsafe kind != .folder || depth == 0 || holdsFile(name, folder, depth: depth - 1)
        return !holds
      }
      return holds || !isWhole
    }
  }

  // MARK: Folders

  /// Asks about an open folder; the answer about one that is not there is no.
  private func inFolder(
    _ name: UnsafePointer<CChar>, _ parent: Int32, follows: Bool = false, orUnreadable: Bool,
    _ ask: (Int32) -> Bool
  ) -> Bool {
    do throws(Unreadable) {
      guard let folder = try unsafe open(name, in: parent, follows: follows) else { return false }
      defer { close(folder) }
      return ask(folder)
    } catch {
      return orUnreadable
    }
  }

  /// Opens a folder; nil: there is none of this name.
  private func open(
    _ name: UnsafePointer<CChar>, in parent: Int32, follows: Bool = false
  ) throws(Unreadable) -> Int32? {
    let opened = unsafe keybackup_openat(
      parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW), 0)
    if opened >= 0 { return opened }
    guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw Unreadable() }
    return nil
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
}

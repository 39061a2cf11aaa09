internal import BackupFolder
internal import CLinux
internal import CommandKit
internal import Glibc

/// The kernel's notices about some files, by inotify(7).
///
/// It watches the files, the folders that hold them, and the folders on the way there. So it notices
/// a file that is replaced by a rename, and a folder that appears later or is moved away.
package final class KernelNotices {
  /// The descriptor to wait for; -1 if the kernel offers none.
  package let descriptor: Int32
  private let paths: [String]
  /// The folder of the backup: its return is of interest.
  private let folder: String?
  /// The watches of the files themselves, and the numbers of the files.
  private var files: [Int32: [Int]] = [:]
  private var watches: Set<Int32> = []
  /// The names in folders that are of interest; others do not wake the program for long.
  private var names: Set<NameBytes> = []
  private var gaps = Gaps()

  /// Changes that the kernel does not tell.
  struct Gaps {
    /// The files of which some changes go unnoticed.
    var files: Set<Int> = []
    /// Whether that is because the kernel has no room for more watches.
    var hasNoRoom = false
  }

  /// News since the last call.
  package struct News {
    /// The files that were written to.
    package var written: Set<Int> = []
    /// Names or folders changed: all files are to be looked at, and ``KernelNotices/arrange()``
    /// called before.
    var isRearranged = false
  }

  /// - Parameters:
  ///   - paths: the files, absolute.
  ///   - folder: the folder of the backup.
  package init(_ paths: [String], folder: String?) {
    self.paths = paths
    self.folder = folder
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Watches what is there now.
  ///
  /// The caller looks at the files afterwards, because earlier changes go unnoticed.
  ///
  /// - Parameters:
  ///   - numbers: the files; nobody may touch the others.
  ///   - withFolder: whether to watch for the backup's folder.
  /// - Returns: where the caller has to look by itself.
  func arrange(_ numbers: [Int], withFolder: Bool) -> Gaps {
    gaps = Gaps()
    guard descriptor >= 0 else { return Gaps(files: Set(numbers), hasNoRoom: true) }
    files = [:]
    names = []
    var current: Set<Int32> = []
    for number in numbers {
      let path = paths[number]
      if let watch = add(path, Self.contents) {
        files[watch, default: []].append(number)
        current.insert(watch)
      } else if ![ENOENT, ENOTDIR].contains(errno) {
        note(gapOf: number, errno)
      }
      for place in [path, FileCheck.absolute(path)].compactMap({ $0 }) {
        watchWay(to: place, of: number, &current)
      }
    }
    if let folder, withFolder { watchWay(to: folder, of: nil, &current) }
    // A watch of a file that lies somewhere else now.
    for watch in watches.subtracting(current) { inotify_rm_watch(descriptor, watch) }
    watches = current
    return gaps
  }

  private func note(gapOf file: Int, _ reason: Int32) {
    gaps.files.insert(file)
    if reason == ENOSPC || reason == ENOMEM { gaps.hasNoRoom = true }
  }

  /// Watches the folders on the way to a path: their names only where one on the way is missing, or
  /// can be replaced without notice of its own.
  ///
  /// - Parameters:
  ///   - path: the path.
  ///   - file: the number of the file to which it leads; nil: it leads to the backup's folder.
  ///   - current: gets the watches.
  private func watchWay(to path: String, of file: Int?, _ current: inout Set<Int32>) {
    var place = ""
    let steps = path.split(separator: "/").map(String.init)
    for (number, step) in steps.enumerated() {
      let here = place.isEmpty ? "/" : place
      let next = place + "/" + step
      let isLast = number == steps.count - 1
      let isMissing = !FileCheck.exists(next)
      let wantsNames = isMissing || (isLast && file != nil) || Self.isLink(next)
      if wantsNames { names.insert(NameBytes(step)) }
      let mask = wantsNames ? Self.own | Self.entries : Self.own
      if let watch = add(here, mask | UInt32(IN_ONLYDIR)) {
        current.insert(watch)
      } else if let file {
        note(gapOf: file, errno)
      }
      if isMissing { return }
      place = next
    }
    guard file == nil, let watch = add(path, Self.own) else { return }
    current.insert(watch)
  }

  private func add(_ path: String, _ mask: UInt32) -> Int32? {
    // Two paths may lead to one file.
    let watch = unsafe inotify_add_watch(descriptor, path, mask | UInt32(IN_MASK_ADD))
    return watch >= 0 ? watch : nil
  }

  /// Takes the notices that wait.
  package func take() -> News {
    var news = News()
    guard descriptor >= 0 else { return news }
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count <= 0 { return news }
      var offset = 0
      while offset + MemoryLayout<inotify_event>.size <= count {
        let event = unsafe buffer.withUnsafeBytes { bytes in
          unsafe bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        }
        let start = offset + MemoryLayout<inotify_event>.size
        offset = start + Int(event.len)
        let name = buffer[start..<min(offset, count)].prefix { $0 != 0 }
        judge(event, NameBytes(name), &news)
      }
    }
  }

  private func judge(_ event: inotify_event, _ name: NameBytes, _ news: inout News) {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      news.isRearranged = true
    } else if event.mask & UInt32(IN_IGNORED) != 0 {
      // The end of a watch that was taken away, or of a file; the name's own notice says so.
      if files[event.wd] != nil { news.isRearranged = true }
    } else if name.isEmpty, let found = files[event.wd], event.mask & Self.writing != 0 {
      news.written.formUnion(found)
    } else if name.isEmpty || names.contains(name) {
      news.isRearranged = true
    }
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  private static let writing = UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB)
  /// Of a file itself.
  private static let contents = writing | own
  /// Of a folder or file itself: where it lies.
  private static let own = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
  /// Of the names in a folder.
  private static let entries =
    UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
}

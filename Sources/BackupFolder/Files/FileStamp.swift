internal import CLinux
internal import CSPP
internal import Glibc

/// The stat(2) fields of a file that change whenever its bytes may have changed, as in git's index.
struct FileStamp: Equatable {
  let inode: UInt64
  let size: Int64
  /// Nanoseconds since 1970.
  let modified: Int64
  /// Nanoseconds since 1970; the system sets this time, and no program can.
  let changed: Int64

  init(inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  init(_ status: stat) {
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
  }

  /// Whether both are the same file with the same bytes, even under another name.
  ///
  /// Renaming changes none of the compared fields.
  func isSame(as other: FileStamp) -> Bool {
    inode == other.inode && size == other.size && modified == other.modified
  }

  /// Whether every change after `time` gives the file a new stamp.
  ///
  /// A file changed twice within one tick of the file system's clock keeps its
  /// stamp the second time.
  ///
  /// - Parameter time: from ``now()``, taken before the file was looked at.
  /// - Returns: false where that is not certain.
  func isSettled(at time: Int64) -> Bool {
    // Where there are no fractions of a second, a tick may be two seconds.
    let tick: Int64 = changed % 1_000_000_000 == 0 ? 3_000_000_000 : 20_000_000
    return changed < time &- tick
  }

  /// The time of the clock with which this machine's file systems stamp, in nanoseconds since 1970.
  static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

extension Directory {
  /// The stamp of a wallet's own file; nil when there is none or it is not a regular file.
  func stamp(ofWallet record: RecordID) -> FileStamp? {
    var name: [UInt8] = []
    name.reserveCapacity(80)
    name += "wallet-".utf8
    name.append(hexOf: record.words)
    name += ".json".utf8
    name.append(0)
    var stamp = keybackup_stamp()
    let result = unsafe name.withUnsafeBytes { name in
      unsafe keybackup_stamp(
        descriptor, name.assumingMemoryBound(to: CChar.self).baseAddress, &stamp)
    }
    guard result == 0, stamp.is_regular != 0 else { return nil }
    return FileStamp(
      inode: stamp.inode, size: stamp.size, modified: stamp.modified, changed: stamp.changed)
  }

  /// The device of this folder, if its file system stamps every change by this machine's clock.
  ///
  /// nil for network and FUSE file systems, whose stamps come from the other side.
  var stampingDevice: UInt64? {
    let tmpfs = 0x0102_1994
    let zfs = 0x2FC1_2FC1
    // Asking some other file systems could block.
    guard access == nil else { return nil }
    let type = keybackup_file_system_type(descriptor)
    guard canSyncAll || type == tmpfs || type == zfs else { return nil }
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : nil
  }
}

internal import CLinux
internal import Glibc
internal import SecretMemory

extension Directory {
  /// Whether something in this folder has that name.
  func holds(_ name: String) -> Bool {
    if let access { return access.holds(name, in: self) }
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// Renames within this folder, with `renameat2` flags.
  ///
  /// If a sync client holds the name, the call is retried with growing pauses.
  ///
  /// - Returns: 0, or the `errno` that a retry does not cure.
  /// - Throws: ``BackupFolderError/busy(path:)`` after three seconds of refusal.
  func rename(
    _ old: String, to new: String, flags: UInt32
  ) throws(BackupFolderError) -> Int32 {
    let clock = ContinuousClock()
    let deadline = clock.now + AtomicFile.patience
    var pause: UInt32 = 20_000
    while true {
      let (_, code) = SystemCall.retrying {
        unsafe keybackup_renameat2(descriptor, old, descriptor, new, flags)
      }
      guard code == EBUSY || code == EACCES || code == EPERM || code == ETXTBSY else {
        return code
      }
      if clock.now >= deadline { throw .busy(path: "\(path)/\(new)") }
      usleep(pause)
      pause = min(pause * 2, 500_000)
    }
  }

  /// Whether the bytes of a file may be lost; true if the file no longer exists.
  func fileMayGo(
    _ name: String, buffer: inout FileBuffer, limit: Int, mayGo: (Span<UInt8>) -> Bool
  ) -> Bool {
    do {
      try buffer.read(name, in: self, limit: limit)
      return buffer.withBytes(mayGo)
    } catch .absent {
      return true
    } catch .incomplete {
      // The file is empty: nothing in it could be lost.
      return !SyncPlaceholder.isPlaceholder(name)
    } catch .notRegular {
      return holdsNoBytes(name)
    } catch {
      return false
    }
  }

  /// Whether something is a link, a pipe or a device: nothing in it could be lost.
  func holdsNoBytes(_ name: String) -> Bool {
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      keybackup_is_regular(status.st_mode) == 0
    else { return false }
    return status.st_mode & S_IFMT != S_IFDIR
  }

  /// Removes a file if its bytes, at the moment of removal, may be lost.
  ///
  /// The file is first moved aside, so that a sync client's new version under the same name is not
  /// removed instead. An empty folder goes, too.
  ///
  /// - Returns: whether the file is gone.
  func remove(
    _ name: String, tag: String, buffer: inout FileBuffer, limit: Int,
    mayGo: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) -> Bool {
    guard fileMayGo(name, buffer: &buffer, limit: limit, mayGo: mayGo) else {
      return removeEmptySubdirectory(name)
    }
    let aside = AtomicFile.displacedName(tag)
    let code = try rename(name, to: aside, flags: 0)
    switch code {
    case 0: break
    case ENOENT: return true
    default: throw .system(code, "\(path)/\(name)")
    }
    if fileMayGo(aside, buffer: &buffer, limit: limit, mayGo: mayGo) {
      try unlink(aside)
      return true
    }
    // If it cannot go back, it stays where it is.
    _ = try renameBack(aside, to: name)
    return false
  }

  /// Gives a file that was moved aside its name back unless that is taken.
  ///
  /// - Returns: as ``rename(_:to:flags:)``.
  func renameBack(_ aside: String, to name: String) throws(BackupFolderError) -> Int32 {
    let code = try rename(aside, to: name, flags: UInt32(RENAME_NOREPLACE))
    guard code == EINVAL || code == ENOSYS || code == EOPNOTSUPP else { return code }
    return holds(name) ? EEXIST : try rename(aside, to: name, flags: 0)
  }

  /// Frees a file's name that a folder has: an empty one goes, and any other gets a name that is not ours.
  ///
  /// What is in it stays.
  func putFolderAside(_ name: String) {
    var status = stat()
    guard !removeEmptySubdirectory(name),
      unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFDIR
    else { return }
    let aside = "put-aside-\(Hex.string(Randomness.bytes(count: 4)))"
    _ = try? rename(name, to: aside, flags: UInt32(RENAME_NOREPLACE))
  }

  /// Removes a file without checking it; a missing file is no error.
  func unlink(_ name: String) throws(BackupFolderError) {
    let (_, code) = SystemCall.retrying { unsafe unlinkat(descriptor, name, 0) }
    if code != 0, code != ENOENT { throw .system(code, "\(path)/\(name)") }
  }
}

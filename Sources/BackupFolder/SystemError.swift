internal import Glibc

extension BackupFolderError {
  /// The error for a failed system call on `path`.
  static func system(_ code: Int32, _ path: String) -> BackupFolderError {
    switch code {
    case EACCES, EPERM, EROFS: .permissionDenied(path: path)
    case ENOSPC, EDQUOT, EFBIG: .diskFull(path: path)
    case ENOTDIR: .notAFolder(path: path)
    case EBUSY, ETXTBSY: .busy(path: path)
    case ELOOP: .notRegular(path: path)
    default: .io(errno: code, path: path)
    }
  }
}

enum SystemCall {
  /// Repeats a call that a signal interrupted.
  ///
  /// - Returns: the call's result, or `errno` when it is -1.
  static func retrying<Result: FixedWidthInteger>(
    _ call: () -> Result
  ) -> (value: Result, error: Int32) {
    while true {
      let value = call()
      if value != -1 { return (value, 0) }
      let code = errno
      if code != EINTR { return (value, code) }
    }
  }
}

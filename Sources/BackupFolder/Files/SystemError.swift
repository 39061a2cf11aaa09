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

  /// The error for a system call that failed to read the folder `path`.
  static func reading(_ code: Int32, _ path: String) -> BackupFolderError {
    SystemCall.meansNotHere(code) ? .unreachable(errno: code, path: path) : .system(code, path)
  }

  /// The error for a listing of the folder `path` that failed.
  static func listing(_ code: Int32, _ path: String) -> BackupFolderError {
    // Opened, and gone since: not the same as having been empty.
    code == ENOENT ? .unreachable(errno: ESTALE, path: path) : .reading(code, path)
  }
}

package enum SystemCall {
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

  /// The system's words for an `errno`.
  package static func text(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether reading that failed with this `errno` may work later: sync programs
  /// and network file systems say so for what they cannot give now.
  ///
  /// EIO too: it is what a download that failed looks like, and a failing disk,
  /// which the words then name as well. Nothing of it shows that bytes are
  /// damaged.
  static func meansNotHere(_ code: Int32) -> Bool {
    switch code {
    case EIO, EDEADLK, ESTALE, ETIMEDOUT, EAGAIN, EINTR, ECANCELED, ENODATA, EBUSY, ETXTBSY,
      ENOTCONN, ENETDOWN, ENETUNREACH, ENETRESET, EHOSTDOWN, EHOSTUNREACH, ECONNREFUSED,
      ECONNRESET, ECONNABORTED, EPIPE, EREMOTEIO, ENOLINK, ECOMM, ENONET, EPROTO, ESHUTDOWN,
      ENOMEDIUM:
      true
    default: false
    }
  }
}

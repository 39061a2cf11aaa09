internal import Glibc

extension BackupFolderError {
  /// The error for a failed system call on `path`.
  static func system(_ code: Int32, _ path: String) -> BackupFolderError {
    switch code {
    case EACCES, EPERM, EROFS: .permissionDenied(path: path)
    case ENOSPC, EDQUOT: .diskFull(path: path)
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
    // The folder was opened and has disappeared since, so it was not necessarily empty.
    code == ENOENT ? .unreachable(errno: ESTALE, path: path) : .reading(code, path)
  }
}

package enum SystemCall {
  /// Repeats a system call that a signal interrupted.
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

  /// Whether a write that failed with this `errno` means that no other one can succeed: the disk is
  /// full or read-only, or no longer there.
  package static func endsAllWriting(_ code: Int32) -> Bool {
    [
      ENOSPC, EDQUOT, EROFS, ENODEV, ENXIO, ENOTCONN, ESTALE, ESHUTDOWN, ETIMEDOUT, EHOSTDOWN,
      EHOSTUNREACH, ENETDOWN, ENETUNREACH, ECONNABORTED,
    ].contains(code)
  }

  /// The system's text for an `errno`.
  package static func text(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether a read that failed with this `errno` may succeed later.
  ///
  /// Sync programs and network file systems return these codes for files that they cannot give now.
  /// EIO is one of them: a failed download and a failing disk both give it, so the message names
  /// both. None of these codes shows that bytes are damaged.
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

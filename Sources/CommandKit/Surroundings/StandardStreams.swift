internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// The descriptors 0, 1 and 2 of a process that was started without some of them.
package enum StandardStreams {
  /// Opens /dev/null for those that are closed.
  ///
  /// Otherwise the next opened file would get the number, even a key's or a wallet's, and screen
  /// output would be written into it. Each is opened for the unused direction, so that a result
  /// that cannot be written is still an error.
  package static func fill() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // This is the lowest free number: the lower ones are open by now.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether a descriptor is one that ``fill()`` has opened: no caller opens one for that direction.
  static func isFilled(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    var (status, null) = (stat(), stat())
    guard (STDIN_FILENO...STDERR_FILENO).contains(descriptor), flags >= 0,
      flags & O_ACCMODE == (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY),
      unsafe fstat(descriptor, &status) == 0, unsafe stat("/dev/null", &null) == 0
    else { return false }
    return status.st_rdev == null.st_rdev && status.st_mode & S_IFMT == S_IFCHR
  }

  /// The file to which a shell redirects a stream.
  ///
  /// - Parameter descriptor: the stream.
  /// - Returns: its path; nil if it is not a regular file or no longer has a name.
  package static func file(at descriptor: Int32) -> String? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_nlink > 0
    else { return nil }
    return try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/fd/\(descriptor)")
  }
}

internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// Descriptors 0, 1 and 2 of a process that was started without some of them.
enum StandardStreams {
  /// Opens /dev/null at those that are closed.
  ///
  /// The next file opened would get the number, a key's or a wallet's even, and
  /// what is meant for the screen would be written into it. Each is opened for
  /// the direction that nobody uses, so that a result that cannot be written is
  /// still an error.
  static func fill() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is this one: those below it are open by now.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// The file that a shell sends a stream to.
  ///
  /// - Parameter descriptor: the stream.
  /// - Returns: its path; nil where it is no regular file, or has no name any more.
  static func file(at descriptor: Int32) -> String? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_nlink > 0
    else { return nil }
    return try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/fd/\(descriptor)")
  }
}

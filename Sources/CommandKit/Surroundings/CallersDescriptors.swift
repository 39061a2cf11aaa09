internal import CLinux
internal import Glibc

/// The descriptors that the caller opened for this process.
///
/// They are looked at while the command line is read: this process has opened nothing by then. A number
/// that the caller did not open soon belongs to one of its own sockets or files. Reading a PIN from it
/// would never end, or take a key's answer for a PIN.
package enum CallersDescriptors {
  /// The purpose of a descriptor.
  package enum Use {
    case reading, writing
  }

  /// The reason why a descriptor cannot be used; nil if it can.
  ///
  /// - Parameters:
  ///   - descriptor: its number.
  ///   - use: its purpose.
  /// - Returns: a sentence about an option, without the number, which may be a PIN.
  package static func obstacle(_ descriptor: Int32, for use: Use) -> String? {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, !isFolder(descriptor), !StandardStreams.isFilled(descriptor) else {
      return "the descriptor that it names is not open"
    }
    let refused = use == .reading ? O_WRONLY : O_RDONLY
    guard flags & O_ACCMODE != refused else {
      return "the descriptor that it names is not open for \(use)"
    }
    return nil
  }

  private static func isFolder(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

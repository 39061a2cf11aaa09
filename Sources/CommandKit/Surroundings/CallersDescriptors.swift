internal import CLinux
internal import Glibc
internal import Synchronization

/// The descriptors that the caller opened for this process.
///
/// A number that the caller did not open soon belongs to one of this process's own sockets or
/// files. Reading a PIN from it would never end, or take a key's answer for a PIN.
package enum CallersDescriptors {
  /// The purpose of a descriptor.
  package enum Use {
    case reading, writing
  }

  /// The status flags of the descriptors that were open, by number.
  private static let flags = Mutex<[Int32: Int32]>([:])

  /// Examines every number among the arguments.
  ///
  /// Must be called before this process opens anything.
  package static func note(_ arguments: [String]) {
    let numbers = arguments.compactMap { argument in
      Int32(argument.split(separator: "=", omittingEmptySubsequences: false).last ?? "")
    }
    flags.withLock { flags in
      for number in numbers {
        let found = fcntl(number, F_GETFL)
        if found >= 0, !isFolder(number) { flags[number] = found }
      }
    }
  }

  /// The reason why a descriptor cannot be used; nil if it can.
  ///
  /// - Parameters:
  ///   - descriptor: its number.
  ///   - use: its purpose.
  /// - Returns: a sentence about an option, without the number, which may be a PIN.
  package static func obstacle(_ descriptor: Int32, for use: Use) -> String? {
    guard let flags = flags.withLock({ $0[descriptor] }) else {
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

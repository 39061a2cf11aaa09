internal import CLinux
internal import Glibc
internal import Synchronization

/// The descriptors that the caller opened for this process.
///
/// A number that the caller did not open is soon one of this process's own
/// sockets or files: to read a PIN from it would wait for ever, or take what a
/// key says for a PIN.
enum CallersDescriptors {
  /// What a descriptor is needed for.
  enum Use {
    case reading, writing
  }

  /// The status flags of those that were open, by number.
  private static let flags = Mutex<[Int32: Int32]>([:])

  /// Looks at every number among the arguments.
  ///
  /// Call before this process opens anything.
  static func note(_ arguments: [String]) {
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

  /// Why a descriptor cannot be used; nil: it can.
  ///
  /// - Parameters:
  ///   - descriptor: its number.
  ///   - use: what it is needed for.
  /// - Returns: a sentence about an option, without the number: it may be a PIN.
  static func obstacle(_ descriptor: Int32, for use: Use) -> String? {
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

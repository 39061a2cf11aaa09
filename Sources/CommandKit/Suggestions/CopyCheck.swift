internal import CLinux
internal import Glibc
package import SecretMemory

/// Checks whether a file may be copied as it lies there.
package enum CopyCheck {
  /// The largest file that is searched for Lightning channels.
  private static let mostSearched = 256 << 20
  /// How much is read at once.
  private static let piece = 64 << 10

  /// Reads a part of contents into the beginning of memory that is large enough.
  ///
  /// It takes the memory, an offset, and the most bytes to read. It returns how many these are.
  package typealias Contents = (inout SecretBytes, Int, Int) -> Int

  /// The advice about a file.
  ///
  /// - Parameters:
  ///   - path: its path or name.
  ///   - descriptor: the file, open for reading; its position stays. Nil: only the name is judged.
  /// - Returns: nil where nothing speaks against a copy.
  package static func advice(_ path: String, _ descriptor: Int32?) -> CopyAdvice? {
    guard let descriptor else { return advice(name: path) }
    return advice(path, isInUse: isInUse(path, descriptor)) { memory, offset, count in
      unsafe memory.withUnsafeMutableBytes { buffer in
        unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset))
      }
    }
  }

  /// The advice about contents from anywhere.
  ///
  /// - Parameters:
  ///   - name: the path or name.
  ///   - isInUse: whether another program has the file open, where it is a database.
  ///   - contents: reads them.
  /// - Returns: nil where nothing speaks against a copy.
  package static func advice(
    _ name: String, isInUse: @autoclosure () -> Bool = false, _ contents: @escaping Contents
  ) -> CopyAdvice? {
    if let advice = advice(name: name) { return advice }
    // Not an array: the file may hold a wallet's secrets.
    var bytes = SecretBytes(zeroed: piece)
    let count = contents(&bytes, 0, piece)
    guard count > 0 else { return nil }
    if let advice = NodeDatabase.advice(contents) {
      return advice == .eclairChannels && isEclairSnapshot(name) ? .eclairSnapshot : advice
    }
    if begins(bytes, count, with: NodeDatabase.sqliteHeader) || begins(bytes, count, with: "H:2,") {
      return isInUse() ? .databaseInUse : nil
    }
    // Base64 of BIE1 and BIE2: the whole file is encrypted.
    if begins(bytes, count, with: "QklFMQ") || begins(bytes, count, with: "QklFMg") {
      return .encryptedElectrumWallet
    }
    guard begins(bytes, count, with: "{") else { return nil }
    return hasOpenChannels(contents, &bytes, count) ? .electrumWalletWithChannels : nil
  }

  /// The advice about a file of this name.
  ///
  /// - Parameter name: its path or name.
  /// - Returns: nil where the name says nothing.
  package static func advice(name: String) -> CopyAdvice? {
    let last = lastPart(name)
    return CopyAdvice.byName.first { entry in
      entry.names.contains { known in
        guard last.lowercased().hasPrefix(known) else { return false }
        // A journal, or a copy of any kind: it is as dangerous as the file.
        let rest = last.dropFirst(known.count)
        return rest.first.map { !$0.isLetter && !$0.isNumber } ?? true
      }
    }?.advice
  }

  private static func lastPart(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Whether Eclair wrote the copy itself: it has the tables of the database.
  private static func isEclairSnapshot(_ path: String) -> Bool {
    lastPart(path) == "eclair.sqlite.bak"
  }

  /// Whether an open file is one that another program has open, too, or left changes beside.
  package static func isInUse(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    return isInUse(FileCheck.absolute("/proc/self/fd/\(descriptor)") ?? "", descriptor)
  }

  /// Whether another program has a database open, or left changes beside it.
  private static func isInUse(_ path: String, _ descriptor: Int32) -> Bool {
    // Who has it open for writing keeps a lock of fcntl on some of its bytes.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    if unsafe fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) { return true }
    return holdsMore(path + "-wal") || holdsMore(path + "-journal")
  }

  /// Whether a file beside a database has changes that belong into it.
  private static func holdsMore(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // A journal that is done with begins with zeroes.
    var first: UInt8 = 0
    return unsafe pread(descriptor, &first, 1, 0) == 1 && first != 0
  }

  private static func hasOpenChannels(
    _ contents: Contents, _ bytes: inout SecretBytes, _ first: Int
  ) -> Bool {
    var search = ElectrumChannelSearch()
    var offset = 0
    var count = first
    while count > 0, offset < mostSearched {
      bytes.withBytes { span in
        for index in 0..<count {
          search.take(unsafe span.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
      }
      offset += count
      count = contents(&bytes, offset, piece)
    }
    return search.foundOpenChannel
  }

  private static func begins(
    _ bytes: borrowing SecretBytes, _ count: Int, with text: String
  ) -> Bool {
    let wanted = Array(text.utf8)
    return unsafe bytes.withUnsafeBytes { buffer in
      unsafe count >= wanted.count && buffer.prefix(wanted.count).elementsEqual(wanted)
    }
  }
}

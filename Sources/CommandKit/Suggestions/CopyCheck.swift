internal import CLinux
internal import Glibc
internal import SecretMemory

/// Checks whether a file may be copied as it lies there.
package enum CopyCheck {
  /// The largest file that is searched for Lightning channels.
  private static let mostSearched = 256 << 20
  /// How much is read at once.
  private static let piece = 64 << 10

  /// The advice about a file.
  ///
  /// - Parameters:
  ///   - path: its path or name.
  ///   - descriptor: the file, open for reading; its position stays. Nil: only the name is judged.
  /// - Returns: nil where nothing speaks against a copy.
  package static func advice(_ path: String, _ descriptor: Int32?) -> CopyAdvice? {
    if let advice = advice(name: path) { return advice }
    guard let descriptor else { return nil }
    // Not an array: the file may hold a wallet's secrets.
    var bytes = SecretBytes(zeroed: piece)
    let count = read(descriptor, into: &bytes, at: 0)
    guard count > 0 else { return nil }
    if let advice = NodeDatabase.advice(descriptor) { return advice }
    if begins(bytes, count, with: NodeDatabase.sqliteHeader) || begins(bytes, count, with: "H:2,") {
      return isInUse(path, descriptor) ? .databaseInUse : nil
    }
    // Base64 of BIE1 and BIE2: the whole file is encrypted.
    if begins(bytes, count, with: "QklFMQ") || begins(bytes, count, with: "QklFMg") {
      return .encryptedElectrumWallet
    }
    guard begins(bytes, count, with: "{") else { return nil }
    return hasOpenChannels(descriptor, &bytes, count) ? .electrumWalletWithChannels : nil
  }

  /// The advice about a file of this name.
  ///
  /// - Parameter name: its path or name.
  /// - Returns: nil where the name says nothing.
  package static func advice(name: String) -> CopyAdvice? {
    let last = name.split(separator: "/").last.map(String.init) ?? name
    return CopyAdvice.byName.first { entry in
      entry.names.contains { known in
        guard last.lowercased().hasPrefix(known) else { return false }
        // A journal, or a copy of any kind: it is as dangerous as the file.
        let rest = last.dropFirst(known.count)
        return rest.first.map { !$0.isLetter && !$0.isNumber } ?? true
      }
    }?.advice
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
    _ descriptor: Int32, _ bytes: inout SecretBytes, _ first: Int
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
      count = read(descriptor, into: &bytes, at: offset)
    }
    return search.foundOpenChannel
  }

  private static func read(
    _ descriptor: Int32, into bytes: inout SecretBytes, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }
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

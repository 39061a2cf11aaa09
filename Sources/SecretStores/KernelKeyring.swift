internal import CLinux
internal import Glibc
public import SecretMemory

/// Secrets in the Linux kernel's keyring of this user, each with a time after
/// which the kernel refuses and then destroys it (keyrings(7), keyctl(2)).
///
/// The ring is the user keyring: every process of the user reaches it, in any
/// terminal, script or job, whatever session keyring it was given; nothing of it
/// is ever swapped, and it ends with the running system. See docs/decisions/0022.
public enum KernelKeyring {
  /// The longest time, in seconds: a day.
  public static let longestTime = 86_400

  /// A secret that was found.
  public struct Found: ~Copyable {
    /// The bytes.
    public let secret: SecretBytes
    /// For how long it will still be found, in seconds; at least 1.
    public let secondsLeft: Int
  }

  /// Keeps a secret under a name, in the place of what had that name.
  ///
  /// - Parameters:
  ///   - secret: the bytes.
  ///   - name: what it is found by; every process of the user can see it.
  ///   - seconds: 1 to ``longestTime``.
  /// - Throws: ``SecretStoreError/quotaExceeded``,
  ///   ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``; what
  ///   was kept before then still is.
  public static func keep(
    _ secret: borrowing SecretBytes, as name: String, for seconds: Int
  ) throws(SecretStoreError) {
    precondition((1...longestTime).contains(seconds), "a time has 1 s to a day")
    var payload = SecretBytes(zeroed: deadlineSize + secret.count)
    let deadline = UInt64(now() + Int64(seconds))
    secret.withBytes { secret in
      payload.withMutableBytes { bytes in
        bytes.storeBytes(of: deadline, toByteOffset: 0, as: UInt64.self)
        for index in 0..<secret.byteCount {
          let byte = unsafe secret.unsafeLoad(fromByteOffset: index, as: UInt8.self)
          bytes.storeBytes(of: byte, toByteOffset: deadlineSize + index, as: UInt8.self)
        }
      }
    }
    // In this thread's own ring first: it never lies where others find it
    // without an end, whenever this process is killed.
    let key = unsafe payload.withUnsafeBytes { bytes in
      unsafe keybackup_add_key(name, bytes.baseAddress, bytes.count, KEY_SPEC_THREAD_KEYRING)
    }
    guard key >= 0 else { throw failure(errno) }
    defer { keybackup_unlink_key(key, KEY_SPEC_THREAD_KEYRING) }
    guard keybackup_expire_key(key, UInt32(seconds)) == 0 else { throw failure(errno) }
    // Takes the place of a key with its name, which has no link then and which
    // the kernel wipes.
    guard keybackup_link_key(key, KEY_SPEC_USER_KEYRING) == 0 else { throw failure(errno) }
  }

  /// Finds what is kept under a name.
  ///
  /// - Parameter name: as it was kept.
  /// - Returns: the bytes; nil when there is nothing, or nothing any more.
  /// - Throws: ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``.
  public static func find(_ name: String) throws(SecretStoreError) -> Found? {
    // The link to this thread's ring makes the process possess the key: a
    // session keyring need not lead to the user's.
    let key = unsafe keybackup_find_key(KEY_SPEC_USER_KEYRING, name, KEY_SPEC_THREAD_KEYRING)
    guard key >= 0 else {
      if isAbsent(errno) { return nil }
      throw failure(errno)
    }
    defer { keybackup_unlink_key(key, KEY_SPEC_THREAD_KEYRING) }
    let size = keybackup_read_key(key, nil, 0)
    guard size >= 0 else {
      if isAbsent(errno) { return nil }
      throw failure(errno)
    }
    guard (deadlineSize...largest).contains(size) else { throw .notKept }
    var payload = SecretBytes(zeroed: size)
    let read = unsafe payload.withUnsafeMutableBytes { bytes in
      unsafe keybackup_read_key(key, bytes.baseAddress, bytes.count)
    }
    guard read == size else {
      if read < 0, isAbsent(errno) { return nil }
      throw read < 0 ? failure(errno) : .notKept
    }
    let deadline = payload.withBytes { bytes in
      unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
    }
    let left = Int64(clamping: deadline) - now()
    guard left > 0 else {
      // The kernel counts by the wall clock, which was set back.
      keybackup_revoke_key(key)
      keybackup_unlink_key(key, KEY_SPEC_USER_KEYRING)
      return nil
    }
    return Found(secret: payload.copy(deadlineSize..<size), secondsLeft: Int(left))
  }

  /// Wipes what is kept under a name.
  ///
  /// - Parameter name: as it was kept.
  /// - Returns: whether there was anything.
  /// - Throws: ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``.
  @discardableResult
  public static func forget(_ name: String) throws(SecretStoreError) -> Bool {
    let key = unsafe keybackup_find_key(KEY_SPEC_USER_KEYRING, name, KEY_SPEC_THREAD_KEYRING)
    guard key >= 0 else {
      if isAbsent(errno) { return false }
      throw failure(errno)
    }
    // Wiped at once, also for a process that holds a link to it at this moment.
    let code = keybackup_revoke_key(key) == 0 ? 0 : errno
    keybackup_unlink_key(key, KEY_SPEC_THREAD_KEYRING)
    keybackup_unlink_key(key, KEY_SPEC_USER_KEYRING)
    guard code == 0 || isAbsent(code) else { throw failure(code) }
    return true
  }

  /// The names that begin with some text, of what is kept for this user.
  ///
  /// - Throws: ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``.
  public static func names(startingWith prefix: String) throws(SecretStoreError) -> [String] {
    let size = keybackup_read_key(KEY_SPEC_USER_KEYRING, nil, 0)
    guard size >= 0 else { throw failure(errno) }
    // Some more than there are now.
    var keys = [Int32](repeating: 0, count: size / 4 + 16)
    let read = unsafe keys.withUnsafeMutableBytes { bytes in
      unsafe keybackup_read_key(KEY_SPEC_USER_KEYRING, bytes.baseAddress, bytes.count)
    }
    guard read >= 0 else { throw failure(errno) }
    return keys.prefix(read / 4).compactMap { name(of: $0) }.filter { $0.hasPrefix(prefix) }
      .sorted()
  }

  /// Whether the kernel would let this process keep something, as far as can be
  /// told before.
  ///
  /// - Parameters:
  ///   - name: what it would be found by.
  ///   - count: its size in bytes.
  /// - Throws: ``SecretStoreError/quotaExceeded``,
  ///   ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``.
  public static func check(_ name: String, count: Int) throws(SecretStoreError) {
    let bytes = [UInt8](repeating: 0, count: deadlineSize + count)
    let key = unsafe keybackup_add_key(name, bytes, bytes.count, KEY_SPEC_THREAD_KEYRING)
    guard key >= 0 else { throw failure(errno) }
    keybackup_unlink_key(key, KEY_SPEC_THREAD_KEYRING)
    guard keybackup_read_key(KEY_SPEC_USER_KEYRING, nil, 0) >= 0 else { throw failure(errno) }
  }

  /// The name of a key of the type that this program makes.
  private static func name(of key: Int32) -> String? {
    var text = [CChar](repeating: 0, count: 512)
    let size = unsafe keybackup_describe_key(key, &text, text.count)
    guard size > 0, size <= text.count else { return nil }
    let words = String(
      decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self
    )
    .split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
    return words.count == 5 && words[0] == "user" ? String(words[4]) : nil
  }

  /// Size of the end of its time, which comes before the secret: seconds of the
  /// clock that runs since this system was started and that nobody can set.
  private static let deadlineSize = 8
  /// The kernel's own limit for this type of key.
  private static let largest = 32_767

  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec)
  }

  private static func isAbsent(_ code: Int32) -> Bool {
    [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(code)
  }

  private static func failure(_ code: Int32) -> SecretStoreError {
    switch code {
    case EDQUOT: .quotaExceeded
    case ENOSYS, EPERM, EACCES: .noKeyrings(code)
    default: .system(code)
    }
  }
}

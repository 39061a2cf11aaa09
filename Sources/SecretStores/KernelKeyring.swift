internal import CLinux
internal import Glibc
public import SecretMemory

/// Secrets in this user's keyring of the Linux kernel (keyrings(7), keyctl(2)).
///
/// Each has a time limit, after which the kernel refuses and then destroys it. The user keyring is
/// accessible to every process of the user, in any terminal, script or job, whatever its session
/// keyring. It is never swapped, and it ends when the system shuts down. See docs/decisions/0022.
public enum KernelKeyring {
  /// The longest time in seconds: a day.
  public static let longestTime = 86_400

  /// A secret that was found.
  public struct Found: ~Copyable {
    /// The bytes.
    public let secret: SecretBytes
    /// The seconds for which it will still be available; at least 1.
    public let secondsLeft: Int
  }

  /// Stores a secret under a name; replaces an existing one.
  ///
  /// - Parameters:
  ///   - secret: the bytes.
  ///   - name: its name; every process of the user can see it.
  ///   - seconds: 1 to ``longestTime``.
  /// - Throws: ``SecretStoreError/quotaExceeded``, ``SecretStoreError/noKeyrings(_:)``,
  ///   ``SecretStoreError/system(_:)``; an existing secret is then kept.
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
    // It is first added to this thread's own ring. So others never find it without a time limit,
    // whenever this process is killed.
    let key = unsafe payload.withUnsafeBytes { bytes in
      unsafe keybackup_add_key(name, bytes.baseAddress, bytes.count, KEY_SPEC_THREAD_KEYRING)
    }
    guard key >= 0 else { throw failure(errno) }
    defer { keybackup_unlink_key(key, KEY_SPEC_THREAD_KEYRING) }
    guard keybackup_expire_key(key, UInt32(seconds)) == 0 else { throw failure(errno) }
    // Replaces a key with the same name, which then has no link and is wiped by the kernel.
    guard keybackup_link_key(key, KEY_SPEC_USER_KEYRING) == 0 else { throw failure(errno) }
  }

  /// Finds the secret stored under a name.
  ///
  /// - Parameter name: its name when it was stored.
  /// - Returns: the bytes; nil when there is none or it has expired.
  /// - Throws: ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``.
  public static func find(_ name: String) throws(SecretStoreError) -> Found? {
    // The link to this thread's ring gives the process possession of the key, since a session
    // keyring need not include the user's.
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
      // The kernel uses the wall clock, which was set back.
      keybackup_revoke_key(key)
      keybackup_unlink_key(key, KEY_SPEC_USER_KEYRING)
      return nil
    }
    return Found(secret: payload.copy(deadlineSize..<size), secondsLeft: Int(left))
  }

  /// Wipes the secret stored under a name.
  ///
  /// - Parameter name: its name when it was stored.
  /// - Returns: whether there was one.
  /// - Throws: ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``.
  @discardableResult
  public static func forget(_ name: String) throws(SecretStoreError) -> Bool {
    let key = unsafe keybackup_find_key(KEY_SPEC_USER_KEYRING, name, KEY_SPEC_THREAD_KEYRING)
    guard key >= 0 else {
      if isAbsent(errno) { return false }
      throw failure(errno)
    }
    // Wiped at once, even for a process that holds a link to it at this moment.
    let code = keybackup_revoke_key(key) == 0 ? 0 : errno
    keybackup_unlink_key(key, KEY_SPEC_THREAD_KEYRING)
    keybackup_unlink_key(key, KEY_SPEC_USER_KEYRING)
    guard code == 0 || isAbsent(code) else { throw failure(code) }
    return true
  }

  /// The names of this user's stored secrets that begin with a text.
  ///
  /// - Throws: ``SecretStoreError/noKeyrings(_:)``, ``SecretStoreError/system(_:)``.
  public static func names(startingWith prefix: String) throws(SecretStoreError) -> [String] {
    let size = keybackup_read_key(KEY_SPEC_USER_KEYRING, nil, 0)
    guard size >= 0 else { throw failure(errno) }
    // Room for some more than there are now.
    var keys = [Int32](repeating: 0, count: size / 4 + 16)
    let read = unsafe keys.withUnsafeMutableBytes { bytes in
      unsafe keybackup_read_key(KEY_SPEC_USER_KEYRING, bytes.baseAddress, bytes.count)
    }
    guard read >= 0 else { throw failure(errno) }
    return keys.prefix(read / 4).compactMap { name(of: $0) }.filter { $0.hasPrefix(prefix) }
      .sorted()
  }

  /// Checks whether the kernel would let this process store a secret, as far as this can be
  /// determined in advance.
  ///
  /// - Parameters:
  ///   - name: the name for the secret.
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

  /// The name of a key of the type that this program creates.
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

  /// The size of the deadline before the secret: seconds of the clock that runs since boot and that
  /// nobody can set.
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

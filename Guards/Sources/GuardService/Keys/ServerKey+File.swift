// The compiler finds `struct stat` in the module in which it first saw it: any of these.
internal import CLinux
internal import CoreFoundation
internal import FoundationEssentials
internal import Glibc
internal import SecretMemory

/// The server key in its file.
extension ServerKey {
  /// The name of systemd's credential.
  public static let credential = "guard-server-key"
  private static let digits = 2 * size

  /// The path of the credential that systemd gives to the service; nil without one.
  public static func credentialPath(in environment: [String: String]) -> String? {
    guard let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else {
      return nil
    }
    let path = folder + "/" + credential
    return unsafe access(path, F_OK) == 0 ? path : nil
  }

  /// Reads the file, which nobody but its user may read or change.
  ///
  /// - Throws: ``ServerKeyError``.
  public static func load(_ path: String) throws(ServerKeyError) -> ServerKey {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else { throw .file(errno, path) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .file(errno, path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .invalid }
    // systemd gives its credentials, which are root's, to the service's user by an access list. That
    // shows as the group's right to read.
    let isRoots = status.st_uid == 0 && geteuid() != 0
    guard status.st_mode & (isRoots ? 0o037 : 0o077) == 0, isRoots || status.st_uid == geteuid()
    else { throw .open(path) }
    // One byte more than a key has, to notice a longer file.
    var text = SecretBytes(zeroed: digits + 2)
    let count = unsafe text.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw .file(errno, path) }
    let end = unsafe text.withUnsafeBytes { unsafe $0[digits] }
    guard count == digits || count == digits + 1 && end == UInt8(ascii: "\n") else {
      throw .invalid
    }
    text.resize(to: digits)
    var key = SecretBytes(zeroed: size)
    guard text.withBytes({ Hex.decode($0, into: &key) }) else { throw .invalid }
    return try ServerKey(key)
  }

  /// Makes a random key and its file, durably; a file that is there is not replaced.
  ///
  /// After a crash the file is whole, or not there: an empty one would look like a lost key.
  ///
  /// - Throws: ``ServerKeyError``.
  public static func create(_ path: String) throws(ServerKeyError) -> ServerKey {
    let key = SecretBytes.random(count: size)
    var text = SecretBytes(zeroed: digits + 1)
    unsafe text.withUnsafeMutableBytes { text in
      key.withBytes { unsafe Hex.encode($0, into: text) }
      unsafe text[digits] = UInt8(ascii: "\n")
    }
    // A name that no other process takes: two may make the key at the same time.
    let part = path + "." + Hex.string(Randomness.bytes(count: 8)) + ".part"
    let file = unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .file(errno, path) }
    defer { close(file) }
    var code = fill(file, with: text)
    if code == 0, unsafe link(part, path) != 0 { code = errno }
    unsafe unlink(part)
    if code == 0 { code = FolderSync.run(folderOf: path) }
    guard code == 0 else { throw .file(code, path) }
    return try ServerKey(key)
  }

  /// Writes a file's contents durably.
  ///
  /// - Returns: 0, or the code of `errno`.
  private static func fill(_ file: CInt, with text: borrowing SecretBytes) -> Int32 {
    let count = unsafe text.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard count == text.count else { return count < 0 ? errno : ENOSPC }
    return fsync(file) == 0 ? 0 : errno
  }
}

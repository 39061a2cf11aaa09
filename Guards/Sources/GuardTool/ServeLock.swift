internal import Glibc
internal import GuardService

/// The lock of the one server that an SQLite database may have.
///
/// Two servers would each have their own clock and limits. The other commands work beside one.
enum ServeLock {
  /// Takes the lock until the process ends; nothing for PostgreSQL, which may have several servers.
  ///
  /// - Parameters:
  ///   - options: where the database is.
  ///   - folder: the state folder.
  /// - Throws: ``GuardToolError``, with ``GuardExit/busy`` while another server has it.
  static func take(_ options: StateOptions, folder: String) throws(GuardToolError) {
    guard let database = OpenedGuard.sqlitePath(options, folder: folder) else { return }
    let path = database + ".lock"
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw GuardToolError(GuardStoreError.file(errno, path)) }
    // The system frees it with the process, however that ends. So it stays open.
    guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return }
    let number = errno
    close(file)
    guard number == EWOULDBLOCK else { throw GuardToolError(GuardStoreError.file(number, path)) }
    throw GuardToolError(
      .busy, "another keybackup-guard serves \(database)",
      hint: "stop it first, or name another folder with --state FOLDER")
  }
}

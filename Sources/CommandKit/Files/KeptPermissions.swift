internal import CLinux
internal import CommandSupport
internal import Glibc
internal import SecretMemory

/// Whether a file system keeps files from others: FAT and exFAT have no permissions, and show every
/// file with those of the mount.
package enum KeptPermissions {
  /// Says at the end of the command that others can read a file that was made for the user alone.
  ///
  /// - Parameters:
  ///   - descriptor: the open file.
  ///   - place: the file, or the folder of many.
  ///   - run: says it at its end.
  package static func check(_ descriptor: Int32, at place: String, _ run: Run) {
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 { tell(place, run) }
  }

  /// The same for a file that has its name.
  package static func check(_ path: String, at place: String, _ run: Run) {
    if FileCheck.isOpenToOthers(path) { tell(place, run) }
  }

  private static func tell(_ place: String, _ run: Run) {
    run.close(
      with: UserMessage(
        .config,
        "others can read the secrets in \(ShellWord.quoted(place)): its file system keeps no permissions",
        hint: "move them to a disk that does, such as your home folder, then delete them there"))
  }

  /// The advice about a file that others can read.
  package static func advice(_ path: String) -> String {
    let command = "chmod 600 \(ShellWord.quoted(path))"
    guard !areKept(besides: path) else { return "run: \(command)" }
    return
      "its file system keeps no permissions, so chmod does not help: move it to a disk that does, "
      + "such as your home folder, then run chmod 600 on it there"
  }

  /// Whether a new file beside another one is the user's alone; also where none can be made.
  private static func areKept(besides path: String) -> Bool {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? "./"
    let name = folder + ".keybackup-probe-" + Hex.string(Randomness.bytes(count: 8))
    let file = unsafe keybackup_openat(
      AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return true }
    defer {
      close(file)
      unsafe unlink(name)
    }
    var status = stat()
    return unsafe fstat(file, &status) != 0 || status.st_mode & 0o077 == 0
  }
}

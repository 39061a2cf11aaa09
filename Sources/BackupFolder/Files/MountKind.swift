internal import CLinux
internal import Glibc

/// Tells the kind of file system that holds a folder, from the kernel's list of mounts.
///
/// Asking the file system itself could block.
package enum MountKind {
  /// Whether a path, judged by its text, leads to a file system that needs another program or
  /// computer to answer.
  package static func isRemote(path: String) -> Bool {
    let absolute = path.hasPrefix("/") ? path : workingFolder() + "/" + path
    return MountTable.current().holding(absolute).map { isRemote($0.type) } ?? false
  }

  /// Whether an open folder is on such a file system.
  static func isRemote(descriptor: Int32) -> Bool {
    guard let information = text(of: "/proc/self/fdinfo/\(descriptor)"),
      let line = information.split(separator: "\n").first(where: { $0.hasPrefix("mnt_id:") }),
      let id = Int(line.dropFirst(7).filter(\.isNumber))
    else { return false }
    return MountTable.current().all.first { $0.id == id }.map { isRemote($0.type) } ?? false
  }

  /// Whether a type of file system, such as "nfs4", is of that kind.
  package static func isRemote(_ kind: some StringProtocol) -> Bool {
    if kind == "fuseblk" { return false }  // A local disk, such as NTFS.
    return kind == "fuse" || kind.hasPrefix("fuse.") || kind.hasPrefix("nfs")
      || [
        "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "coda", "autofs", "vboxsf",
        "vmhgfs", "lustre", "gpfs",
      ].contains { $0 == kind }
  }

  /// The path of the working folder; empty where it is gone.
  static func workingFolder() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.count
    guard unsafe getcwd(&buffer, count) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The text of a file of /proc; nil where it cannot be read.
  static func text(of path: String) -> String? {
    let (file, code) = SystemCall.retrying {
      unsafe keybackup_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
    }
    guard code == 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let (got, code) = unsafe piece.withUnsafeMutableBytes { piece in
        SystemCall.retrying { unsafe Glibc.read(file, piece.baseAddress, piece.count) }
      }
      if code != 0 { return nil }
      if got == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<got]
    }
  }
}

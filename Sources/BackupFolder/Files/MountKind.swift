internal import CLinux
internal import Glibc

/// What kind of file system a folder is on, by the kernel's own list of
/// mounts: asking the file system itself could block.
enum MountKind {
  /// Whether a path, as far as its text tells, leads to a file system that
  /// answers only when another program or computer does.
  static func isRemote(path: String) -> Bool {
    let absolute = path.hasPrefix("/") ? path : workingFolder() + "/" + path
    // Later mounts lie over earlier ones.
    var best: Mount?
    for mount in mounts() where lies(absolute, in: mount.place) {
      if mount.place.utf8.count >= best?.place.utf8.count ?? 0 { best = mount }
    }
    return best.map { isRemote($0.kind) } ?? false
  }

  /// Whether an open folder is on such a file system.
  static func isRemote(descriptor: Int32) -> Bool {
    guard let information = text(of: "/proc/self/fdinfo/\(descriptor)"),
      let line = information.split(separator: "\n").first(where: { $0.hasPrefix("mnt_id:") }),
      let id = Int(line.dropFirst(7).filter(\.isNumber))
    else { return false }
    return mounts().first { $0.id == id }.map { isRemote($0.kind) } ?? false
  }

  static func isRemote(_ kind: some StringProtocol) -> Bool {
    if kind == "fuseblk" { return false }  // A local disk, such as NTFS.
    return kind == "fuse" || kind.hasPrefix("fuse.") || kind.hasPrefix("nfs")
      || [
        "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "coda", "autofs", "vboxsf",
        "vmhgfs", "lustre", "gpfs",
      ].contains { $0 == kind }
  }

  struct Mount {
    let id: Int
    let place: String
    let kind: String
  }

  private static func mounts() -> [Mount] {
    parse(text(of: "/proc/self/mountinfo") ?? "")
  }

  /// Reads the lines of proc(5)'s mountinfo.
  static func parse(_ text: String) -> [Mount] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 6, let id = Int(words[0]),
        let dash = words.firstIndex(of: "-"), dash + 1 < words.count
      else { return nil }
      return Mount(id: id, place: unescaped(words[4]), kind: String(words[dash + 1]))
    }
  }

  /// Turns `\040` and its like back into bytes.
  private static func unescaped(_ word: Substring) -> String {
    guard word.contains("\\") else { return String(word) }
    let bytes = Array(word.utf8)
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let digits = bytes[index...].dropFirst().prefix(3)
      if bytes[index] == 0x5C, digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        plain.append(value)
        index += 4
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func lies(_ path: String, in place: String) -> Bool {
    place == "/" || path == place || path.hasPrefix(place + "/")
  }

  private static func workingFolder() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.count
    guard unsafe getcwd(&buffer, count) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func text(of path: String) -> String? {
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

import Glibc

/// Reads and writes whole files without safeguards.
enum Disk {
  /// The folder for histories: in memory, if the computer has such a folder.
  static var playground: String { unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp" }

  static func makeTemporaryFolder() -> String {
    var template = Array("\(playground)/keybackup-model-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { fatalError("mkdtemp: errno \(errno)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func read(_ path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { return nil }
    let size = Int(status.st_size)
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = max(0, unsafe Glibc.read(file, buffer.baseAddress, size))
    }
  }

  /// Writes a file and the folders on its path.
  static func write(_ bytes: [UInt8], to path: String) {
    var file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if file < 0 {
      makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
      file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }
    guard file >= 0 else { fatalError("\(path): errno \(errno)") }
    defer { close(file) }
    let wrote = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    guard wrote == bytes.count else { fatalError("\(path): errno \(errno)") }
  }

  static func makeFolder(_ path: String) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/") else {
      fatalError("\(path): errno \(errno)")
    }
    makeFolder(String(path[..<slash]))
    makeFolder(path)
  }

  static func remove(_ path: String) {
    if unsafe unlink(path) == 0 || errno == ENOENT { return }
    for name in names(path) { remove("\(path)/\(name)") }
    unsafe rmdir(path)
  }

  static func names(_ path: String) -> [String] {
    guard let stream = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Every file below a folder, by its relative path.
  static func files(_ folder: String) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    collect(folder, "", &found)
    return found
  }

  private static func collect(
    _ folder: String, _ prefix: String, _ found: inout [String: [UInt8]]
  ) {
    for name in names(folder) {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        collect(path, "\(prefix)\(name)/", &found)
      } else if let bytes = read(path) {
        found["\(prefix)\(name)"] = bytes
      }
    }
  }
}

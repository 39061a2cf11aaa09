import Glibc

/// Reads inputs that a fuzzer kept, to run each of them once.
public enum InputFiles {
  /// The names in a folder, sorted.
  ///
  /// - Parameter folder: its path.
  /// - Returns: the names; nil if it is no folder.
  public static func names(in folder: String) -> [String]? {
    guard let stream = unsafe opendir(folder) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Reads an input that is about to run.
  ///
  /// The input is first named on standard error: after a crash, the last one named is to blame.
  ///
  /// - Parameter path: its file.
  /// - Returns: its first 64 KiB; none if it cannot be read.
  public static func take(_ path: String) -> [UInt8] {
    _ = unsafe write(2, path + "\n", path.utf8.count + 1)
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}

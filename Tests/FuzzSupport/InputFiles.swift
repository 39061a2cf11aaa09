import Glibc

/// Inputs that a fuzzer kept, to be run once each.
public enum InputFiles {
  /// The names in a folder, sorted.
  ///
  /// - Parameter folder: its path.
  /// - Returns: the names; nil where it is no folder.
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
  /// It is named on standard error first: the one that is named last is to blame.
  ///
  /// - Parameter path: its file.
  /// - Returns: its first 64 KiB; none where it cannot be read.
  public static func take(_ path: String) -> [UInt8] {
    _ = unsafe write(2, path + "\n", path.utf8.count + 1)
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}

internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// Files that belong to other programs: read only, never trusted.
enum ForeignFile {
  /// More than any of them has.
  static let limit = 1 << 20
  /// More entries than any folder that is looked through has.
  static let mostNames = 4096

  /// The text of a regular file, or of one that the kernel makes up.
  ///
  /// - Parameters:
  ///   - path: from the root.
  ///   - limit: most bytes accepted.
  /// - Returns: the text; nil when it is not there, cannot be read or is
  ///   larger.
  static func text(_ path: String, limit: Int = limit) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= limit
    else { return nil }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while bytes.count <= limit {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe read(file, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
    return nil
  }

  /// A JSON file; nil when it is not there or is something else.
  static func json<Value: Decodable>(_ type: Value.Type, _ path: String) -> Value? {
    guard let text = text(path) else { return nil }
    return try? JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// The names in a folder, sorted; none when it cannot be listed.
  static func names(in folder: String, most: Int = mostNames) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Array(all.sorted().prefix(most))
  }
}

internal import Glibc

/// Where the other programs of this project are: never in a backup's folder, never at a relative path.
package enum SiblingProgram {
  /// The folder below `libexec` for programs that a person does not start.
  private static let ownFolder = "/libexec/keybackup"

  /// The paths at which a program may be, in the order of looking.
  ///
  /// First comes the folder of this program's own file, then the one for programs that it starts. A
  /// program in that one looks beside `keybackup` too.
  ///
  /// - Parameters:
  ///   - name: the program.
  ///   - own: the path of this program's file.
  /// - Returns: absolute paths.
  package static func places(of name: String, besides own: String) -> [String] {
    guard own.hasPrefix("/") else { return [] }
    let folder = parent(own)
    var folders = [folder, parent(folder) + ownFolder]
    if folder.hasSuffix(ownFolder) { folders.append(folder.dropLast(ownFolder.count) + "/bin") }
    return folders.map { "\($0)/\(name)" }
  }

  /// The same paths for this process, then those of PATH.
  ///
  /// - Parameters:
  ///   - name: the program.
  ///   - path: the variable; nil to look nowhere else.
  /// - Returns: absolute paths of files that may be run.
  package static func found(_ name: String, path: String?) -> [String] {
    let folders = (path ?? "").split(separator: ":").map(String.init).filter {
      $0.hasPrefix("/") && !isInBackup($0)
    }
    let all = places(of: name, besides: ownFile ?? "") + folders.map { "\($0)/\(name)" }
    return all.filter { unsafe access($0, X_OK) == 0 }
  }

  /// Whether a folder is in a backup's folder: anybody who syncs it could put a program there.
  private static func isInBackup(_ folder: String) -> Bool {
    var place = folder
    while !place.isEmpty {
      if unsafe access(place + "/cspp-namespaces", F_OK) == 0 { return true }
      place = parent(place)
    }
    return false
  }

  /// The file of this process's program.
  private static var ownFile: String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe readlink(
        "/proc/self/exe", buffer.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self),
        buffer.count)
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  private static func parent(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
  }
}

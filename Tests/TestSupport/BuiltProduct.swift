import Glibc

/// Programs that SwiftPM builds beside the test bundle.
public enum BuiltProduct {
  /// The path of a program: beside the tests, in the builds of the repository, or in those of Guards/.
  ///
  /// - Parameter name: its target's name.
  /// - Returns: where it should be, whether it is there or not.
  public static func path(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(
      decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // `swift test` may run the bundle through a helper of the toolchain. The arguments then name
    // the bundle.
    for candidate in [own] + CommandLine.arguments {
      let folder = candidate.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
      if unsafe access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
    }
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    // Each of the two packages has tests that start a program of the other.
    let path = "\(root)/.build/debug/\(name)"
    let other = "\(root)/Guards/.build/debug/\(name)"
    return unsafe access(path, X_OK) != 0 && access(other, X_OK) == 0 ? other : path
  }
}

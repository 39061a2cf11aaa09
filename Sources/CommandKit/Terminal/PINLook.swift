internal import Glibc

/// Recognises a PIN that somebody put where a path belongs.
package enum PINLook {
  /// Whether a value may be a PIN and no path: it names no file, and it has no folder or is a
  /// number.
  ///
  /// A program's name is looked up before.
  package static func isSeen(in value: String) -> Bool {
    guard let last = value.split(separator: "/").last, last.utf8.count >= 4 else { return false }
    guard !value.contains("/") || last.allSatisfy(\.isNumber) else { return false }
    return unsafe access(value, F_OK) != 0
  }
}

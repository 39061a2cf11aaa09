internal import Glibc

/// Recognises a PIN that somebody put where a path belongs.
enum PINLook {
  /// Whether a value is more likely a PIN than a file: it names none, and it is a number or has a
  /// digit and no folder.
  ///
  /// A program's name is looked up before.
  static func isSeen(in value: String) -> Bool {
    guard let last = value.split(separator: "/").last, last.utf8.count >= 4,
      last.contains(where: \.isNumber)
    else { return false }
    guard !value.contains("/") || last.allSatisfy(\.isNumber) else { return false }
    return unsafe access(value, F_OK) != 0
  }
}

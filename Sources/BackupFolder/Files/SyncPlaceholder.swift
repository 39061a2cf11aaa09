internal import CSPP
internal import SecretMemory

/// The files that sync programs put in the place of a file not downloaded yet, or beside it during
/// the download (docs/format.md, "Not here yet").
enum SyncPlaceholder {
  /// Whether the name is that of a sync program's placeholder for a file still in the cloud.
  ///
  /// A placeholder never holds the file's own bytes.
  static func isPlaceholder(_ name: String) -> Bool {
    name.hasSuffix(".icloud") || name.hasSuffix(".nextcloud") || name.hasSuffix(".owncloud")
  }

  /// The reason, in words, why such a file gives nothing.
  static let reason = "only a sync program's stand-in: not yet synchronised"

  /// The name of the file that a placeholder or partial download stands for.
  ///
  /// The contents of such a file are tried like any other's: a name proves nothing. If they are of
  /// no use, the file it stands for is awaited.
  ///
  /// - Parameter name: a file name as it was listed.
  /// - Returns: the name of the whole file; `nil` when `name` is no placeholder for a file of a
  ///   backup.
  static func awaited(_ name: String) -> String? {
    guard let whole = withoutMarks(name), whole.hasSuffix(".json"), whole.utf8.count > 5 else {
      return nil
    }
    return String(whole)
  }

  /// The names that stand for a file which is here too.
  static func superfluous(in names: [String]) -> Set<String> {
    let standIns = names.compactMap { name in awaited(name).map { (name, $0) } }
    if standIns.isEmpty { return [] }
    let all = Set(names)
    return Set(standIns.filter { all.contains($0.1) }.map(\.0))
  }

  private static func withoutMarks(_ name: String) -> Substring? {
    if let inner = between(name, ".", ".icloud") { return inner }
    if let inner = between(name, ".syncthing.", ".tmp") { return inner }
    if let inner = between(name, "~syncthing~", ".tmp") { return inner }
    for suffix in [
      ".nextcloud", ".owncloud", ".part", ".crdownload", ".download", ".filepart", ".!sync",
      ".tmp", "~",
    ] {
      if let inner = between(name, "", suffix) { return inner }
    }
    // rclone inserts eight letters and digits before the suffix.
    if let inner = between(name, "", ".partial") { return withoutRandomPart(inner, 8) ?? inner }
    guard name.hasPrefix(".") else { return nil }
    // Nextcloud and ownCloud: .NAME.~1a2b3c
    if let mark = name.dropFirst().firstRange(of: ".~"), mark.upperBound < name.endIndex,
      name[mark.upperBound...].utf8.allSatisfy({ Hex.isDigit($0, upperCase: true) })
    {
      return name.dropFirst()[..<mark.lowerBound]
    }
    // rsync: .NAME.AbC123
    return withoutRandomPart(name.dropFirst(), 6)
  }

  private static func between(_ name: String, _ prefix: String, _ suffix: String) -> Substring? {
    guard name.utf8.count > prefix.utf8.count + suffix.utf8.count, name.hasPrefix(prefix),
      name.hasSuffix(suffix)
    else { return nil }
    return name.dropFirst(prefix.count).dropLast(suffix.count)
  }

  /// Returns `name` without a last part of exactly `count` letters and digits.
  private static func withoutRandomPart(_ name: Substring, _ count: Int) -> Substring? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let part = name[name.index(after: dot)...].utf8
    guard part.count == count, part.allSatisfy(isLetterOrDigit) else { return nil }
    return name[..<dot]
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...122).contains(byte) || (65...90).contains(byte)
  }
}

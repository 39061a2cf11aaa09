internal import SecretMemory

/// Which names of files and folders can be ours.
///
/// Each of our names has an ID or a digest in it. A sync program that copies one adds words, and leaves
/// it visible. All other names belong to other programs: operating systems and file servers leave files
/// and folders everywhere. What such a file holds is tried like any other. If it is of no use, nothing is
/// missing.
enum OwnName {
  /// Whether a file or folder can be one of ours, or a copy or placeholder of one.
  static func canBeOurs(_ name: String) -> Bool {
    find(in: name, suffix: "") { (text) -> Bool? in
      let first = text.prefix { $0 != UInt8(ascii: "-") }
      // An ID or a digest, alone or behind a word or a counter.
      if startsWithDigits(first) { return true }
      let isWord = first.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
      return isWord && startsWithDigits(text[first.endIndex...].dropFirst()) ? true : nil
    } ?? false
  }

  private static func startsWithDigits(_ text: Substring.UTF8View) -> Bool {
    text.prefix { Hex.isDigit($0) }.count >= 32
  }

  /// Finds our own name in the name of a file: its own, or that of a copy that a sync program made.
  ///
  /// - Parameters:
  ///   - name: the name of a file or folder.
  ///   - suffix: the end of our name.
  ///   - parse: reads the rest of our name from the beginning of a text.
  /// - Returns: the result of `parse`; nil for the name of another program's file.
  static func find<ID>(
    in name: String, suffix: String, _ parse: (Substring.UTF8View) -> ID?
  ) -> ID? {
    let name = SyncPlaceholder.awaited(name) ?? name
    guard isVisible(name), isCopy(name, suffix) else { return nil }
    // Words may stand before it: "Copy of NAME".
    var start = name.utf8.startIndex
    while true {
      if let id = parse(name.utf8[start...]) { return id }
      guard let space = name.utf8[start...].firstIndex(of: UInt8(ascii: " ")) else { return nil }
      start = name.utf8.index(after: space)
    }
  }

  /// The lower-case hexadecimal digits at the beginning of a text, if there are exactly `count`.
  static func digits(_ count: Int, of text: Substring.UTF8View) -> String? {
    let digits = text.prefix { Hex.isDigit($0) }
    return digits.count == count ? String(Substring(digits)) : nil
  }

  private static func isVisible(_ name: String) -> Bool { !name.hasPrefix(".") }

  /// Whether nothing follows our suffix but what sync programs add.
  private static func isCopy(_ name: String, _ suffix: String) -> Bool {
    if suffix.isEmpty { return true }
    guard let end = name.ranges(of: suffix).last?.upperBound else { return false }
    let rest = name[end...]
    return rest.isEmpty || rest.hasPrefix(" ") || rest.hasPrefix("..path")
      || rest.hasPrefix(".conflict")
  }
}

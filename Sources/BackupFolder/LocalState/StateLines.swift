internal import CSPP

/// The lines of a file of this computer's state: a header, lines, then `end` and nothing after it.
enum StateLines {
  /// Reads them.
  ///
  /// - Parameters:
  ///   - bytes: the contents of the file.
  ///   - header: the first line.
  ///   - read: takes every line between the header and the end; false for one that is wrong.
  /// - Returns: whether all is as it should be. If not, what `read` took is worth nothing.
  static func read(
    _ bytes: Span<UInt8>, header: StaticString, _ read: (Span<UInt8>) -> Bool
  ) -> Bool {
    var (start, isFirst, isWhole) = (0, true, false)
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != 10 { end += 1 }
      let line = bytes.extracting(start..<end)
      start = end + 1
      if isWhole { return false }
      if isFirst {
        guard line.isEqual(to: header) else { return false }
      } else if line.isEqual(to: "end") {
        isWhole = true
      } else if !read(line) {
        return false
      }
      isFirst = false
    }
    return isWhole
  }
}

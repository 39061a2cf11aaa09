internal import CSPP
internal import SecretMemory

/// Descriptors in lines of text, as programs show them and people note them.
///
/// A line that begins with `#`, `//` or `;` is a comment, and so is what follows one of these after a
/// space, unless it is a checksum. A line may be in quotes. The record of a multi-signature wallet
/// (BIP-129, BSMS) is text too.
enum DescriptorText {
  /// Whether a text is such lines, and not JSON.
  static func isSeen(in text: RawSpan) -> Bool {
    let range = ASCII.trimmed(text)
    guard let first = range.first else { return false }
    switch text.byte(first) {
    case UInt8(ascii: "{"): return false
    // In JSON a backslash may stand for something else.
    case UInt8(ascii: "\""): return !range.contains { text.byte($0) == UInt8(ascii: "\\") }
    case UInt8(ascii: "["): return isOrigin(text.extracting(range))
    default: return true
    }
  }

  /// Rewrites the descriptors as a JSON list.
  ///
  /// - Throws: ``WalletFormatError``: `descriptorListForm` for a line that is no descriptor,
  ///   `descriptorKeyAlone`, `bsmsKeyRecord`; a wrong checksum of a template.
  static func json(of text: RawSpan) throws(WalletFormatError) -> SecretBytes {
    let lines = lines(of: text)
    guard let first = lines.first else { throw .descriptorListForm }
    var list = SecretWriter(capacity: text.byteCount + 256)
    if text.starts(with: "BSMS ".utf8, at: first.lowerBound) {
      guard lines.count > 1 else { throw .descriptorListForm }
      guard isDescriptor(text.extracting(lines[1])) else { throw .bsmsKeyRecord }
      let paths = lines.count > 2 ? paths(in: text, lines[2]) : []
      try append(lines[1], paths, of: text, to: &list)
    } else {
      for line in lines {
        let line = text.extracting(line)
        guard isDescriptor(line) else {
          throw isOrigin(line) ? WalletFormatError.descriptorKeyAlone : .descriptorListForm
        }
      }
      for line in lines { try append(line, [], of: text, to: &list) }
    }
    list.raw("]")
    return list.finish()
  }

  // MARK: Lines

  /// The lines without comments and white space around them.
  private static func lines(of text: RawSpan) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    ASCII.forEachLine(in: text) { line, _ in
      let whole = ASCII.trimmed(text.extracting(line))
      let start = line.lowerBound + whole.lowerBound
      var end = start
      while end < line.lowerBound + whole.upperBound, !isComment(at: end, from: start, in: text) {
        end += 1
      }
      while end > start, ASCII.isSpace(text.byte(end - 1)) { end -= 1 }
      let unquoted = withoutQuotes(start..<end, of: text)
      if !unquoted.isEmpty { lines.append(unquoted) }
    }
    return lines
  }

  /// Whether a comment begins at an offset of a line; a checksum follows its `#` at once.
  private static func isComment(at offset: Int, from start: Int, in text: RawSpan) -> Bool {
    let isMark = ["#", ";", "//"].contains { text.starts(with: $0.utf8, at: offset) }
    guard isMark, offset == start || ASCII.isSpace(text.byte(offset - 1)) else { return false }
    // A space may have come between a descriptor and its checksum.
    var end = offset + 1
    while end < text.byteCount, !ASCII.isSpace(text.byte(end)) { end += 1 }
    let isChecksum =
      offset > start && text.byte(offset) == UInt8(ascii: "#") && end - offset - 1 == 8
    return !isChecksum
  }

  /// A line without the quotes around it, and without a comma behind them.
  private static func withoutQuotes(_ line: Range<Int>, of text: RawSpan) -> Range<Int> {
    var line = line
    for quotes in [
      ("\"", "\""), ("'", "'"), ("`", "`"), ("\u{201C}", "\u{201D}"), ("\u{2018}", "\u{2019}"),
    ]
    where text.extracting(line).starts(with: quotes.0.utf8, at: 0) {
      line = line.lowerBound + quotes.0.utf8.count..<line.upperBound
      if !line.isEmpty, text.byte(line.upperBound - 1) == UInt8(ascii: ",") {
        line = line.lowerBound..<line.upperBound - 1
      }
      let end = line.upperBound - quotes.1.utf8.count
      if end >= line.lowerBound, text.starts(with: quotes.1.utf8, at: end) {
        line = line.lowerBound..<end
      }
      break
    }
    return line
  }

  private static func isDescriptor(_ line: RawSpan) -> Bool {
    (0..<line.byteCount).contains { line.byte($0) == UInt8(ascii: "(") }
  }

  /// Whether a text begins with the origin of a key: `[d34db33f/84'/0'/0']`.
  private static func isOrigin(_ text: RawSpan) -> Bool {
    text.byteCount > 9 && text.byte(0) == UInt8(ascii: "[") && text.isHex(1..<9)
      && [UInt8(ascii: "/"), UInt8(ascii: "]")].contains(text.byte(9))
  }

  // MARK: Templates

  /// The paths of a line such as `/0/*,/1/*`; none for a line of words.
  private static func paths(in text: RawSpan, _ line: Range<Int>) -> [Range<Int>] {
    var paths: [Range<Int>] = []
    var start = line.lowerBound
    for end in line.lowerBound...line.upperBound
    where end == line.upperBound || text.byte(end) == UInt8(ascii: ",") {
      if text.starts(with: "/".utf8, at: start) { paths.append(start..<end) }
      start = end + 1
    }
    return paths
  }

  /// Appends a descriptor; of a template, whose keys end in `/**`, one for each path.
  private static func append(
    _ line: Range<Int>, _ paths: [Range<Int>], of text: RawSpan, to list: inout SecretWriter
  ) throws(WalletFormatError) {
    let descriptor = text.extracting(line)
    let gaps = (0..<descriptor.byteCount).filter { descriptor.starts(with: "/**".utf8, at: $0) }
    if gaps.isEmpty {
      append(descriptor, to: &list)
      return
    }
    // The checksum is that of the template.
    let size = try Descriptor.bodySize(descriptor)
    for path in paths.isEmpty ? [0..<0] : paths {
      var filled = SecretWriter(capacity: descriptor.byteCount + 256)
      var start = 0
      for gap in gaps where gap + 3 <= size {
        filled.raw(descriptor.extracting(start..<gap))
        // What wallet policies mean by it (BIP-388).
        if path.isEmpty { filled.raw("/<0;1>/*") } else { filled.raw(text.extracting(path)) }
        start = gap + 3
      }
      filled.raw(descriptor.extracting(start..<size))
      filled.withBytes { append($0, to: &list) }
    }
  }

  private static func append(_ descriptor: RawSpan, to list: inout SecretWriter) {
    list.raw(list.count == 0 ? "[{\"desc\":" : ",{\"desc\":")
    list.string(descriptor)
    list.raw("}")
  }
}

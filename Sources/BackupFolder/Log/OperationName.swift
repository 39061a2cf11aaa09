internal import CSPP

/// The name of a log file: the writer, the counter and the first half of its digest.
///
/// It is made from the file's contents, never from the file's name in the folder.
struct OperationName: Hashable, Comparable, CustomStringConvertible {
  let writer: WriterID
  let counter: UInt64
  /// The first 16 bytes of the file's digest, as two big-endian words.
  let digest: SIMD2<UInt64>

  init(writer: WriterID, counter: UInt64, digest: Digest) {
    self.writer = writer
    self.counter = counter
    self.digest = SIMD2(digest.words.x, digest.words.y)
  }

  init(writer: WriterID, counter: UInt64, digest: SIMD2<UInt64>) {
    self.writer = writer
    self.counter = counter
    self.digest = digest
  }

  /// Parses `<writer>/<counter>-<32 hex digits>`; `nil` for any other text.
  init?(_ text: Span<UInt8>) {
    guard text.count > 33, text[32] == UInt8(ascii: "/"),
      let writer = SIMD2(hexDigits: text.extracting(0..<32))
    else { return nil }
    self.init(writer: WriterID(words: writer), stem: text.extracting(droppingFirst: 33))
  }

  /// Parses `<counter>-<32 hex digits>` of a writer; `nil` for any other text.
  init?(writer: WriterID, stem: Span<UInt8>) {
    let digits = stem.count - 33
    guard (1...20).contains(digits), stem[digits] == UInt8(ascii: "-"),
      let digest = SIMD2(hexDigits: stem.extracting(droppingFirst: digits + 1))
    else { return nil }
    var counter: UInt64 = 0
    for place in 0..<digits {
      let digit = stem[place] &- 48
      let (shifted, isTooLarge) = counter.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = shifted.addingReportingOverflow(UInt64(digit))
      guard digit < 10, !isTooLarge, !overflows else { return nil }
      counter = sum
    }
    guard counter > 0 else { return nil }
    self.init(writer: writer, counter: counter, digest: digest)
  }

  /// Parses `<writer>/<counter>-<32 hex digits>`; `nil` for any other text.
  init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(bytes.span)
  }

  /// The file's path in `keybackup/log/`, without `.json`.
  var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Adds ``description`` to a text.
  func append(to text: inout [UInt8]) {
    text.append(hexOf: writer.words)
    text.append(UInt8(ascii: "/"))
    appendStem(to: &text)
  }

  /// Appends the part of ``description`` after the writer: the file's name without `.json`.
  func appendStem(to text: inout [UInt8]) {
    let start = text.count
    var rest = counter
    while rest > 0 || text.count < start + 8 {
      text.append(UInt8(truncatingIfNeeded: rest % 10) + 48)
      rest /= 10
    }
    text[start...].reverse()
    text.append(UInt8(ascii: "-"))
    text.append(hexOf: digest)
  }

  /// The number of characters after the writer in ``description``.
  var stemCount: Int {
    var (digits, rest) = (1, counter)
    while rest > 9 { (digits, rest) = (digits + 1, rest / 10) }
    return max(8, digits) + 33
  }

  static func < (left: OperationName, right: OperationName) -> Bool {
    let (one, other) = (left.writer.words, right.writer.words)
    // Compares words directly, without a call for each: ten thousand names are sorted.
    if one.x != other.x { return one.x < other.x }
    if one.y != other.y { return one.y < other.y }
    if left.counter != right.counter { return left.counter < right.counter }
    if left.digest.x != right.digest.x { return left.digest.x < right.digest.x }
    return left.digest.y < right.digest.y
  }
}

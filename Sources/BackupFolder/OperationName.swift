internal import CSPP

/// What a log file's name says: whose, which, and the first half of its digest.
///
/// Made from what the file holds, never read off the file's name in the folder.
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

  /// Reads `<writer>/<counter>-<32 hex digits>`; `nil` for any other text.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let writer = WriterID(hex: String(parts[0])) else { return nil }
    let name = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    // An identifier of 16 bytes serves to read 32 digits.
    guard name.count == 2, let counter = UInt64(name[0]), counter > 0,
      let digest = WriterID(hex: String(name[1]))
    else { return nil }
    self.writer = writer
    self.counter = counter
    self.digest = digest.words
  }

  /// Where the file lies in `keybackup/log/`, without `.json`.
  var description: String {
    let digits = String(counter)
    let zeroes = String(repeating: "0", count: max(0, 8 - digits.utf8.count))
    return "\(writer)/\(zeroes)\(digits)-\(WriterID(words: digest))"
  }

  static func < (left: OperationName, right: OperationName) -> Bool {
    if left.writer != right.writer { return left.writer < right.writer }
    if left.counter != right.counter { return left.counter < right.counter }
    return WriterID(words: left.digest) < WriterID(words: right.digest)
  }
}

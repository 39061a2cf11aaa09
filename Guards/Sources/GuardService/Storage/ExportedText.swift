internal import CSPP
internal import SecretMemory

/// A row of an exported file: one line, its values separated by tabs.
///
/// A number is decimal; bytes are `x` and digits; a text is `t` and the digits of its UTF-8; NULL
/// is `-`.
enum ExportedText {
  static func line(_ values: [SQLValue]) -> [UInt8] {
    let words = values.map { value in
      switch value {
      case .null: "-"
      case .number(let number): "\(number)"
      case .bytes(let bytes): "x" + Hex.string(bytes)
      case .text(let text): "t" + Hex.string(Array(text.utf8))
      }
    }
    return Array((words.joined(separator: "\t") + "\n").utf8)
  }

  /// Reads a line without its end.
  static func row(_ line: [UInt8]) throws(GuardStoreError) -> SQLRow {
    var values: [SQLValue] = []
    for word in line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false) {
      values.append(try value(Array(word)))
    }
    return SQLRow(values)
  }

  private static func value(_ word: [UInt8]) throws(GuardStoreError) -> SQLValue {
    let rest = Array(word.dropFirst())
    switch word.first {
    case UInt8(ascii: "-") where rest.isEmpty: return .null
    case UInt8(ascii: "x"):
      if let bytes = unsafe Hex.decode(rest.span.bytes) { return .bytes(bytes) }
    case UInt8(ascii: "t"):
      if let bytes = unsafe Hex.decode(rest.span.bytes) {
        return .text(String(decoding: bytes, as: UTF8.self))
      }
    default:
      if let number = Int64(String(decoding: word, as: UTF8.self)) { return .number(number) }
    }
    throw .damaged("export")
  }
}

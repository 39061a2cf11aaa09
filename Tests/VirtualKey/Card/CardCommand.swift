/// A command to a card (ISO 7816-4, 5.2): short or extended.
struct CardCommand: Equatable {
  var instructionClass: UInt8
  var instruction: UInt8
  var parameter1: UInt8
  var parameter2: UInt8
  var data: [UInt8]
  /// The most bytes of the answer; nil if none is expected.
  var expected: Int?

  /// Whether another piece of the same command follows.
  var isChained: Bool { instructionClass & 0x10 != 0 }

  /// - Parameter bytes: the command; other bytes give nil.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    instructionClass = bytes[0]
    instruction = bytes[1]
    parameter1 = bytes[2]
    parameter2 = bytes[3]
    data = []
    var body = bytes[4...]
    guard let first = body.popFirst() else { return }
    if body.isEmpty {
      expected = first == 0 ? 256 : Int(first)
      return
    }
    let isExtended = first == 0
    var count = Int(first)
    if isExtended {
      guard let length = Self.number(&body) else { return nil }
      if body.isEmpty {
        expected = length == 0 ? 65_536 : length
        return
      }
      count = length
    }
    guard body.count >= count else { return nil }
    data = Array(body.prefix(count))
    body = body.dropFirst(count)
    if isExtended, !body.isEmpty {
      guard let length = Self.number(&body), body.isEmpty else { return nil }
      expected = length == 0 ? 65_536 : length
    } else if let length = body.popFirst() {
      guard body.isEmpty else { return nil }
      expected = length == 0 ? 256 : Int(length)
    }
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    guard let high = bytes.popFirst(), let low = bytes.popFirst() else { return nil }
    return Int(high) << 8 | Int(low)
  }
}

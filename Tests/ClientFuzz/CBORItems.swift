/// Finds where the items of an answer's CBOR begin and end.
enum CBORItems {
  /// Every item from `start` on; an outer item comes before those within it.
  static func ranges(in bytes: [UInt8], from start: Int) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var position = start
    while position < bytes.count, found.count < 256 {
      let first = bytes[position]
      var argument = Int(first & 31)
      var next = position + 1
      if argument >= 24 {
        let size = argument < 28 ? 1 << (argument - 24) : 0
        guard next + size <= bytes.count else { break }
        argument = bytes[next..<next + size].reduce(0) { $0 << 8 & 0xFF_FFFF | Int($1) }
        next += size
      }
      let isString = first >> 5 == 2 || first >> 5 == 3
      // For a map or an array only the head: the items within come next.
      let end = isString ? min(bytes.count, next + argument) : next
      found.append(position..<end)
      position = end
    }
    return found
  }

  /// The head of an item with this argument.
  static func head(_ kind: UInt8, _ argument: Int) -> [UInt8] {
    argument < 24
      ? [kind << 5 | UInt8(argument)]
      : [kind << 5 | 25, UInt8(argument >> 8 & 0xFF), UInt8(argument & 0xFF)]
  }
}

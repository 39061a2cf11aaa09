internal import SecretMemory

/// The modules of a QR code while they are drawn.
struct QRDrawing: ~Copyable {
  private let version: QRVersion
  private let side: Int
  private var modules: SecretBytes
  /// Whether a module belongs to a fixed pattern of the version, row by row.
  private var isFixed: [Bool]

  init(_ version: QRVersion) {
    self.version = version
    side = version.side
    modules = SecretBytes(zeroed: side * side)
    isFixed = [Bool](repeating: false, count: side * side)
    drawPatterns()
  }

  /// The modules, row by row; consumes the value.
  consuming func finish() -> SecretBytes { modules }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    modules.withBytes { $0.byte(row * side + column) == 1 }
  }

  private mutating func set(_ row: Int, _ column: Int, _ dark: Bool) {
    let place = row * side + column
    modules.withMutableBytes { $0.set(place, dark ? 1 : 0) }
  }

  private mutating func fix(_ row: Int, _ column: Int, _ dark: Bool) {
    guard (0..<side).contains(row), (0..<side).contains(column) else { return }
    set(row, column, dark)
    isFixed[row * side + column] = true
  }

  /// Draws finder, alignment and timing patterns, and reserves space for the format.
  private mutating func drawPatterns() {
    for place in 0..<side {
      fix(6, place, place % 2 == 0)
      fix(place, 6, place % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, side - 4), (side - 4, 3)] {
      for y in -4...4 {
        for x in -4...4 {
          let ring = max(abs(x), abs(y))
          fix(row + y, column + x, ring != 2 && ring != 4)
        }
      }
    }
    if version.number > 1 {
      for y in -2...2 {
        for x in -2...2 { fix(side - 7 + y, side - 7 + x, max(abs(x), abs(y)) != 1) }
      }
    }
    drawFormat(mask: 0)
  }

  /// Draws level and mask, twice, each with its error correction (BCH 15,5).
  private mutating func drawFormat(mask: Int) {
    // Level L is 01.
    let data = 0b01 << 3 | mask
    var remainder = data
    for _ in 0..<10 { remainder = (remainder << 1) ^ ((remainder >> 9) * 0x537) }
    let bits = (data << 10 | remainder) ^ 0x5412
    func bit(_ number: Int) -> Bool { bits >> number & 1 == 1 }
    for number in 0..<6 { fix(number, 8, bit(number)) }
    fix(7, 8, bit(6))
    fix(8, 8, bit(7))
    fix(8, 7, bit(8))
    for number in 9..<15 { fix(8, 14 - number, bit(number)) }
    for number in 0..<8 { fix(8, side - 1 - number, bit(number)) }
    for number in 8..<15 { fix(side - 15 + number, 8, bit(number)) }
    fix(side - 8, 8, true)
  }

  /// Places the codewords in zigzag order: two columns at a time from the right.
  mutating func place(_ codewords: borrowing SecretBytes) {
    var index = 0
    var right = side - 1
    while right > 0 {
      if right == 6 { right = 5 }
      for step in 0..<side {
        let isUpward = (right + 1) & 2 == 0
        let row = isUpward ? side - 1 - step : step
        for column in [right, right - 1] where !isFixed[row * side + column] {
          if index < codewords.count * 8 {
            let dark = codewords.withBytes { words in
              words.byte(index / 8) >> (7 - UInt8(index % 8)) & 1 == 1
            }
            set(row, column, dark)
            index += 1
          }
        }
      }
      right -= 2
    }
  }

  /// Inverts the modules of one of eight masks: the one with the lowest penalty for scanners.
  mutating func applyBestMask() {
    var best = (mask: 0, penalty: Int.max)
    for mask in 0..<8 {
      apply(mask)
      drawFormat(mask: mask)
      let penalty = penalty()
      if penalty < best.penalty { best = (mask, penalty) }
      // Applying it again undoes it.
      apply(mask)
    }
    apply(best.mask)
    drawFormat(mask: best.mask)
  }

  private mutating func apply(_ mask: Int) {
    for row in 0..<side {
      for column in 0..<side where !isFixed[row * side + column] {
        let turns =
          switch mask {
          case 0: (row + column) % 2 == 0
          case 1: row % 2 == 0
          case 2: column % 3 == 0
          case 3: (row + column) % 3 == 0
          case 4: (row / 2 + column / 3) % 2 == 0
          case 5: row * column % 2 + row * column % 3 == 0
          case 6: (row * column % 2 + row * column % 3) % 2 == 0
          default: ((row + column) % 2 + row * column % 3) % 2 == 0
          }
        if turns { set(row, column, !isDark(row, column)) }
      }
    }
  }

  /// The penalty by the standard's four rules: long runs, squares, false finder patterns, and too
  /// much of one colour.
  private func penalty() -> Int {
    var penalty = 0
    var dark = 0
    for line in 0..<side {
      penalty += linePenalty { isDark(line, $0) } + linePenalty { isDark($0, line) }
      for place in 0..<side {
        if isDark(line, place) { dark += 1 }
        guard line > 0, place > 0 else { continue }
        let colour = isDark(line, place)
        if isDark(line - 1, place) == colour, isDark(line, place - 1) == colour,
          isDark(line - 1, place - 1) == colour
        {
          penalty += 3
        }
      }
    }
    return penalty + abs(dark * 20 - side * side * 10) / (side * side) * 10
  }

  private func linePenalty(_ isDark: (Int) -> Bool) -> Int {
    var penalty = 0
    var run = 0
    // The last eleven modules.
    var window = 0
    for place in 0..<side {
      let colour = isDark(place)
      run = place > 0 && colour == isDark(place - 1) ? run + 1 : 1
      if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
      window = (window << 1 | (colour ? 1 : 0)) & 0x7FF
      if place >= 10, window == 0b101_1101_0000 || window == 0b000_0101_1101 { penalty += 40 }
    }
    return penalty
  }
}

internal import CSPP
public import SecretMemory

extension SeedQRCode {
  /// The number of light modules around a code, which scanners need.
  private static let quietZone = 4
  /// The number of pixels along a module in a PNG.
  private static let scale = 8

  /// A PNG file (ISO/IEC 15948) in black and white.
  ///
  /// Written without compression, so that no library keeps a copy.
  public borrowing func png() -> SecretBytes {
    let size = (side + 2 * Self.quietZone) * Self.scale
    let rowSize = 1 + (size + 7) / 8
    var file = SecretWriter(capacity: size * rowSize + 256)
    file.bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    var header = SecretWriter(capacity: 32)
    header.bigEndian(UInt32(size))
    header.bigEndian(UInt32(size))
    // One bit of grey; the only methods defined; not interlaced.
    header.bytes([1, 0, 0, 0, 0])
    file.chunk("IHDR", header.finish())
    file.chunk("IDAT", imageData(size: size, rowSize: rowSize))
    file.chunk("IEND", SecretBytes(zeroed: 0))
    return file.finish()
  }

  /// The rows as one stored block (RFC 1951, section 3.2.4) in a zlib frame (RFC 1950).
  private borrowing func imageData(size: Int, rowSize: Int) -> SecretBytes {
    let rows = SecretBytes(count: size * rowSize) { rows in
      modules.withBytes { modules in
        for y in 0..<size {
          for x in 0..<size {
            let row = y / Self.scale - Self.quietZone
            let column = x / Self.scale - Self.quietZone
            let isInside = (0..<side).contains(row) && (0..<side).contains(column)
            // White is 1.
            if isInside, modules.byte(row * side + column) == 1 { continue }
            let place = y * rowSize + 1 + x / 8
            rows.set(place, rows.bytes.byte(place) | 0x80 >> UInt8(x % 8))
          }
        }
      }
    }
    let length = UInt16(rows.count)
    var data = SecretWriter(capacity: rows.count + 16)
    data.bytes([0x78, 0x01, 0x01])
    for part in [length, ~length] {
      data.bytes([UInt8(truncatingIfNeeded: part), UInt8(part >> 8)])
    }
    rows.withBytes { data.raw($0) }
    data.bigEndian(rows.withBytes { adler32($0) })
    return data.finish()
  }

  private borrowing func adler32(_ bytes: RawSpan) -> UInt32 {
    var low: UInt32 = 1
    var high: UInt32 = 0
    for offset in 0..<bytes.byteCount {
      low = (low + UInt32(bytes.byte(offset))) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }

  /// The code as lines for a terminal, two rows of modules per line.
  ///
  /// Dark modules are dark even where the terminal's letters are light: every line sets both
  /// colours.
  public borrowing func terminalText() -> SecretBytes {
    let width = side + 2 * Self.quietZone
    var text = SecretWriter(capacity: width * width * 2 + 1024)
    modules.withBytes { modules in
      func isDark(_ y: Int, _ x: Int) -> Bool {
        let (row, column) = (y - Self.quietZone, x - Self.quietZone)
        guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
        return modules.byte(row * side + column) == 1
      }
      for y in stride(from: 0, to: width, by: 2) {
        // Black on white.
        text.raw("\u{1B}[30;47m")
        for x in 0..<width {
          switch (isDark(y, x), isDark(y + 1, x)) {
          case (true, true): text.raw("\u{2588}")
          case (true, false): text.raw("\u{2580}")
          case (false, true): text.raw("\u{2584}")
          case (false, false): text.raw(" ")
          }
        }
        text.raw("\u{1B}[0m\n")
      }
    }
    return text.finish()
  }
}

extension SecretWriter {
  fileprivate mutating func bytes(_ bytes: [UInt8]) {
    unsafe raw(bytes.span.bytes)
  }

  fileprivate mutating func bigEndian(_ number: UInt32) {
    bytes((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) })
  }

  /// Writes length, name, content, and the checksum of name and content.
  fileprivate mutating func chunk(_ name: String, _ content: consuming SecretBytes) {
    bigEndian(UInt32(content.count))
    let start = count
    raw(name)
    content.withBytes { raw($0) }
    let checksum = withBytes { CRC32.common.of($0.extracting(start..<$0.byteCount)) }
    bigEndian(checksum)
  }
}

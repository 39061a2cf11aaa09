internal import CQREncode
internal import Glibc
package import SecretMemory

/// A QR code (ISO/IEC 18004) by libqrencode.
@safe
package struct QRCode: ~Copyable {
  private let code: UnsafeMutablePointer<CQREncode.QRcode>

  /// Encodes bytes with error correction level M: 15 % of it may be unreadable.
  ///
  /// - Parameter bytes: at most about 2 KiB.
  /// - Throws: `internal` when they do not fit.
  package init(_ bytes: borrowing SecretBytes) throws(UserMessage) {
    let made = unsafe bytes.withUnsafeBytes { bytes in
      unsafe QRcode_encodeData(
        Int32(bytes.count), bytes.assumingMemoryBound(to: UInt8.self).baseAddress, 0, QR_ECLEVEL_M)
    }
    guard let made = unsafe made else {
      throw UserMessage(.internalError, "the QR code cannot be made: \(systemText(errno))")
    }
    unsafe code = made
  }

  /// Encodes a line of capitals and digits, which take less room than other text.
  ///
  /// - Parameter line: at most about 4,000 characters. Any other is taken, too.
  /// - Throws: `internal` when they do not fit.
  package init(line: String) throws(UserMessage) {
    // A screen is not torn or stained: level L.
    guard let made = unsafe QRcode_encodeString(line, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else {
      throw UserMessage(.internalError, "the QR code cannot be made: \(systemText(errno))")
    }
    unsafe code = made
  }

  deinit {
    // It may spell a recovery code.
    unsafe explicit_bzero(code.pointee.data, Int(code.pointee.width * code.pointee.width))
    unsafe QRcode_free(code)
  }

  /// Modules along one side, without the quiet zone.
  package var width: Int { Int(unsafe code.pointee.width) }

  private func isDark(_ x: Int, _ y: Int) -> Bool {
    unsafe code.pointee.data[y * width + x] & 1 == 1
  }

  /// Light modules around a code, which readers need.
  private static let quietZone = 4

  /// The code in half blocks, two rows of modules in a line, with the quiet zone.
  ///
  /// Dark modules are blank: a terminal shows light letters on a dark ground, or its caller sets
  /// both colours.
  package var terminalLines: [String] {
    let side = width + 2 * Self.quietZone
    func isLight(_ x: Int, _ y: Int) -> Bool {
      let (column, row) = (x - Self.quietZone, y - Self.quietZone)
      guard (0..<width).contains(column), (0..<width).contains(row) else { return y < side }
      return !isDark(column, row)
    }
    return stride(from: 0, to: side, by: 2).map { y in
      (0..<side).map { x in
        switch (isLight(x, y), isLight(x, y + 1)) {
        case (true, true): "\u{2588}"
        case (true, false): "\u{2580}"
        case (false, true): "\u{2584}"
        case (false, false): " "
        }
      }.joined()
    }
  }

  /// Adds the code as an inline SVG picture with the quiet zone of 4 modules
  /// that readers want; its size is the style sheet's.
  ///
  /// - Parameters:
  ///   - page: what it is added to.
  ///   - title: what a screen reader says.
  package func draw(on page: inout PageText, title: String) {
    let side = width + 2 * Self.quietZone
    page.append(
      "<svg class=\"qr\" viewBox=\"0 0 \(side) \(side)\" role=\"img\" aria-label=\"\(title)\" "
        + "shape-rendering=\"crispEdges\"><path d=\"")
    for y in 0..<width {
      var x = 0
      while x < width {
        guard isDark(x, y) else {
          x += 1
          continue
        }
        let start = x
        while x < width, isDark(x, y) { x += 1 }
        let (left, top) = (start + Self.quietZone, y + Self.quietZone)
        page.append("M\(left) \(top)h\(x - start)v1h-\(x - start)z")
      }
    }
    page.append("\"/></svg>")
  }
}

internal import CQREncode
internal import Glibc
internal import SecretMemory

/// A QR code (ISO/IEC 18004) by libqrencode.
@safe
struct QRCode: ~Copyable {
  private let code: UnsafeMutablePointer<CQREncode.QRcode>

  /// Encodes bytes with error correction level M: 15 % of it may be unreadable.
  ///
  /// - Parameter bytes: at most about 2 KiB.
  /// - Throws: `internal` when they do not fit.
  init(_ bytes: borrowing SecretBytes) throws(UserMessage) {
    let made = unsafe bytes.withUnsafeBytes { bytes in
      unsafe QRcode_encodeData(
        Int32(bytes.count), bytes.assumingMemoryBound(to: UInt8.self).baseAddress, 0, QR_ECLEVEL_M)
    }
    guard let made = unsafe made else {
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
  var width: Int { Int(unsafe code.pointee.width) }

  private func isDark(_ x: Int, _ y: Int) -> Bool {
    unsafe code.pointee.data[y * width + x] & 1 == 1
  }

  /// Adds the code as an inline SVG picture with the quiet zone of 4 modules
  /// that readers want; its size is the style sheet's.
  ///
  /// - Parameters:
  ///   - page: what it is added to.
  ///   - title: what a screen reader says.
  func draw(on page: inout PageText, title: String) {
    let side = width + 8
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
        page.append("M\(start + 4) \(y + 4)h\(x - start)v1h-\(x - start)z")
      }
    }
    page.append("\"/></svg>")
  }
}

// This folder is for a QR code of a small secret, drawn in guarded memory. Callers get its modules,
// a PNG file or text. The meaning of the content is not known here.

public import SecretMemory

/// A QR code (ISO/IEC 18004) of a small secret, created in guarded memory.
///
/// It supports only what SeedQR needs: versions 1 to 3 with error correction level L, digits or
/// bytes. A library would leave the secret in memory that it frees.
public struct SeedQRCode: ~Copyable {
  /// The number of modules along each side: 21, 25 or 29.
  public let side: Int
  /// The modules, row by row: 1 is dark.
  public let modules: SecretBytes

  /// The kind of content.
  public enum Mode: Sendable {
    /// Digits 0 to 9.
    case numeric
    /// Any bytes.
    case bytes
  }

  /// Encodes a content in the smallest version that holds it.
  ///
  /// - Returns: `nil` for more than 127 digits or 53 bytes.
  public init?(_ content: borrowing SecretBytes, _ mode: Mode) {
    let bitCount = QRData.bitCount(of: content.count, mode)
    guard let version = QRVersion.all.first(where: { bitCount <= $0.dataSize * 8 }) else {
      return nil
    }
    let codewords = QRData.codewords(of: content, mode, version)
    var drawing = QRDrawing(version)
    drawing.place(codewords)
    drawing.applyBestMask()
    side = version.side
    modules = drawing.finish()
  }
}

/// The sizes of a version at level L; each of these has a single block.
struct QRVersion {
  let number: Int
  /// The number of codewords for data.
  let dataSize: Int
  /// The number of codewords for error correction.
  let correctionSize: Int

  var side: Int { 17 + 4 * number }

  static let all = [
    QRVersion(number: 1, dataSize: 19, correctionSize: 7),
    QRVersion(number: 2, dataSize: 34, correctionSize: 10),
    QRVersion(number: 3, dataSize: 55, correctionSize: 15),
  ]
}

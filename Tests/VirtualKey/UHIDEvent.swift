/// What /dev/uhid says and is told, as in Linux's linux/uhid.h: packed structures in
/// the machine's byte order.
public enum UHIDEvent: Equatable, Sendable {
  /// A report from the host: 64 bytes, without the report ID.
  case output([UInt8])
  /// The host asks for something a FIDO key does not have; the event to answer with.
  case request(reply: [UInt8])
  /// Nothing that a key has to act upon.
  case other

  /// The size of the largest event: the type and a `uhid_create2_req`.
  static let size = 4 + 4372

  private enum Kind {
    static let destroy: UInt32 = 1
    static let output: UInt32 = 6
    static let getReport: UInt32 = 9
    static let getReportReply: UInt32 = 10
    static let create: UInt32 = 11
    static let input: UInt32 = 12
    static let setReport: UInt32 = 13
    static let setReportReply: UInt32 = 14
  }

  /// Reads what a read from /dev/uhid gave.
  init(_ bytes: UnsafeRawBufferPointer) {
    self = .other
    guard bytes.count >= 8 else { return }
    switch unsafe bytes.loadUnaligned(as: UInt32.self) {
    case Kind.output where bytes.count >= 4 + 4096 + 2:
      let length = Int(unsafe bytes.loadUnaligned(fromByteOffset: 4100, as: UInt16.self))
      guard (64...4096).contains(length) else { return }
      // The kernel passes the report ID (0) on as the program wrote it.
      self = unsafe .output(Array(bytes[(4 + length - 64)..<(4 + length)]))
    case Kind.getReport: self = .request(reply: unsafe Self.failure(Kind.getReportReply, bytes))
    case Kind.setReport: self = .request(reply: unsafe Self.failure(Kind.setReportReply, bytes))
    default: break
    }
  }

  /// EIO for a request: what a key answers that does not know the report.
  private static func failure(_ kind: UInt32, _ request: UnsafeRawBufferPointer) -> [UInt8] {
    unsafe bytes(kind) + Array(request[4..<8]) + bytes(UInt16(5))
  }

  /// The event that makes a device, seen as one on a USB port.
  ///
  /// - Parameters:
  ///   - name: manufacturer and product, at most 127 bytes.
  ///   - unique: the serial number, at most 63 bytes.
  ///   - vendor: the USB vendor's number.
  ///   - product: the product's number.
  ///   - reportDescriptor: at most 4096 bytes.
  /// - Returns: the bytes to write.
  public static func create(
    name: String, unique: String, vendor: UInt32, product: UInt32, reportDescriptor: [UInt8]
  ) -> [UInt8] {
    let usb: UInt16 = 3
    return bytes(Kind.create) + text(name, 128) + text("", 64) + text(unique, 64)
      + bytes(UInt16(reportDescriptor.count)) + bytes(usb) + bytes(vendor) + bytes(product)
      + bytes(UInt32(0)) + bytes(UInt32(0)) + reportDescriptor
      + [UInt8](repeating: 0, count: 4096 - reportDescriptor.count)
  }

  /// The event that takes the device away.
  public static var destroy: [UInt8] { bytes(Kind.destroy) }

  /// The event that carries a report to the host.
  static func input(_ report: [UInt8]) -> [UInt8] {
    bytes(Kind.input) + bytes(UInt16(report.count)) + report
  }

  private static func text(_ text: String, _ size: Int) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(size - 1))
    return bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    let bits = Number.bitWidth
    return stride(from: 0, to: bits, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

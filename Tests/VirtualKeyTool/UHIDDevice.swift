import CUmockdev
import Glibc
import VirtualKey

/// One device behind /dev/uhid.
///
/// The interface uses packed structures in the machine's byte order (linux/uhid.h). Two threads
/// carry reports between it and the packet socket that a key serves.
struct UHIDDevice: Sendable {
  static let path = "/dev/uhid"

  private enum Event {
    static let destroy: UInt32 = 1
    static let output: UInt32 = 6
    static let create: UInt32 = 11
    static let input: UInt32 = 12
  }

  /// The key's end of the line.
  let line: Int32
  private let descriptor: Int32

  /// Makes a device that looks like one on a USB port.
  ///
  /// - Parameters:
  ///   - name: manufacturer and product.
  ///   - unique: the serial number.
  /// - Throws: `BusError` if the system refuses.
  init(name: String, unique: String) throws {
    descriptor = unsafe open(Self.path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw BusError("\(Self.path): \(KernelFile.reason())") }
    let usb: UInt16 = 3
    let report = SimulatedUSB.reportDescriptor
    let numbers = [SimulatedUSB.vendor, SimulatedUSB.product, 0, 0].flatMap { Self.bytes($0) }
    let event =
      Self.bytes(Event.create) + Self.text(name, 128) + Self.text("", 64) + Self.text(unique, 64)
      + Self.bytes(UInt16(report.count)) + Self.bytes(usb) + numbers
      + report + [UInt8](repeating: 0, count: 4096 - report.count)
    try KernelFile.write(event, to: descriptor, Self.path)

    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw BusError("socketpair: \(KernelFile.reason())")
    }
    line = ends[0]
    let (other, device) = (ends[1], descriptor)
    try startThread { Self.carryFromHost(device, other) }
    try startThread { Self.carryToHost(other, device) }
  }

  /// Pulls the device out.
  ///
  /// Its descriptor stays open, as a thread may still be waiting on it.
  func destroy() {
    try? KernelFile.write(Self.bytes(Event.destroy), to: descriptor, Self.path)
    shutdown(line, Int32(SHUT_RDWR))
  }

  /// Carries reports from the host to the key.
  ///
  /// The kernel keeps 32 reports and drops later ones; a long message has 129. So this thread
  /// interrupts the one that writes (`UHIDBus` makes them share a processor).
  private static func carryFromHost(_ device: Int32, _ line: Int32) {
    _ = virtual_key_go_first()
    // The type, the report ID (0) that every program puts in front, and the report. The kernel
    // omits the rest of the event.
    let size = 4 + 1 + 64
    unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 4) { space in
      while true {
        let count = unsafe read(device, space.baseAddress, size)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        guard count == size, unsafe space.load(as: UInt32.self) == Event.output else { continue }
        let report = unsafe space.baseAddress.map { unsafe $0 + 5 }
        guard unsafe send(line, report, 64, Int32(MSG_NOSIGNAL)) == 64 else { return }
      }
    }
  }

  private static func carryToHost(_ line: Int32, _ device: Int32) {
    let header = bytes(Event.input) + bytes(UInt16(64))
    var event = header + [UInt8](repeating: 0, count: 64)
    while true {
      let count = unsafe event.withUnsafeMutableBytes { space in
        unsafe recv(line, space.baseAddress.map { unsafe $0 + header.count }, 64, 0)
      }
      if count < 0, errno == EINTR { continue }
      guard count == 64 else { return }
      unsafe event.withUnsafeBytes { _ = unsafe write(device, $0.baseAddress, $0.count) }
    }
  }

  private static func text(_ text: String, _ size: Int) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(size - 1))
    return bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    stride(from: 0, to: Number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

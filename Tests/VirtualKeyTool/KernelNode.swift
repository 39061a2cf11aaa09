import Glibc
import VirtualKey

/// The /dev/hidraw* that the running kernel made for a simulated key.
struct KernelNode {
  /// Its name, such as "hidraw0".
  let name: String

  /// Waits for the node of the device with this serial number, and for udev where it runs.
  ///
  /// - Throws: `BusError` when there is none after a while.
  init(unique: String) throws {
    let deadline = ContinuousClock.now + simulationPatience
    var found: String?
    while found == nil {
      found = Self.names().first { name in
        let text = KernelFile.read("/sys/class/hidraw/\(name)/device/uevent") ?? ""
        return text.split(separator: "\n").contains("HID_UNIQ=\(unique)")
      }
      guard found != nil || .now < deadline else {
        throw BusError("the kernel made no hidraw node; is the module hid_generic there?")
      }
      if found == nil { usleep(5000) }
    }
    name = found ?? ""
    guard KernelFile.exists("/run/udev/control") else { return }
    let number = KernelFile.read("/sys/class/hidraw/\(name)/dev") ?? ""
    let record = "/run/udev/data/c\(number.filter { $0 != "\n" })"
    while !KernelFile.exists(record) {
      guard .now < deadline else { throw BusError("udev does not get done with \(name)") }
      usleep(5000)
    }
  }

  /// Forbids everyone to open it.
  func forbid() { unsafe chmod("/dev/\(name)", 0) }

  private static func names() -> [String] {
    guard let folder = unsafe opendir("/sys/class/hidraw") else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name.hasPrefix("hidraw") { names.append(name) }
    }
    return names
  }
}

/// Reads and writes files of /sys and /proc in one go.
enum KernelFile {
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The file's content, at most 4096 bytes; nil if it cannot be read.
  static func read(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw BusError("\(path): \(reason())") }
    defer { close(descriptor) }
    try write(bytes, to: descriptor, path)
  }

  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    guard count == bytes.count else { throw BusError("\(path): \(reason())") }
  }

  static func makeFolder(_ path: String) throws {
    guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw BusError("\(path): \(reason())")
    }
  }

  static func reason(_ code: Int32 = errno) -> String { unsafe String(cString: strerror(code)) }
}

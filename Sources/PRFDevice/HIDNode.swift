internal import Glibc

/// A hidraw device as sysfs shows it to every user.
///
/// In this way an authenticator is recognised even if its device file may not be opened.
struct HIDNode: Equatable {
  /// The device file.
  let path: String
  /// Whether its report descriptor names FIDO's usage page.
  let isAuthenticator: Bool
  /// Its USB address, if it is a USB device.
  let usbAddress: USBAddress?

  /// Whether the device file exists and this user may not open it.
  var isForbidden: Bool {
    unsafe access(path, R_OK | W_OK) != 0 && (errno == EACCES || errno == EPERM)
  }

  /// Every hidraw device, in the order of their names.
  static func all(sysfs: String = "/sys", devices: String = "/dev") -> [HIDNode] {
    let folder = sysfs + "/class/hidraw"
    return names(in: folder).map { name in
      // From the target of the class link upwards: hidraw, the HID device.
      let descriptor = read(folder + "/" + name + "/../../report_descriptor", upTo: 4096)
      // Further up: the interface, the USB device.
      let device = folder + "/" + name + "/../../../../"
      return HIDNode(
        path: devices + "/" + name, isAuthenticator: usagePage(descriptor) == fidoUsagePage,
        usbAddress: USBAddress(
          bus: read(device + "busnum", upTo: 16), device: read(device + "devnum", upTo: 16)))
    }
  }

  static let fidoUsagePage: UInt32 = 0xF1D0

  /// The first usage page that a report descriptor sets (HID 1.11, 6.2.2.2).
  static func usagePage(_ descriptor: [UInt8]) -> UInt32? {
    var index = 0
    while index < descriptor.count {
      let prefix = descriptor[index]
      index += 1
      if prefix == 0xFE {
        // A long item: its size, its tag, its data.
        guard index < descriptor.count else { return nil }
        index += 2 + Int(descriptor[index])
        continue
      }
      let size = [0, 1, 2, 4][Int(prefix & 3)]
      guard index + size <= descriptor.count else { return nil }
      if prefix & 0xFC == 0x04 {
        return descriptor[index..<index + size].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      index += size
    }
    return nil
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("hidraw") { names.append(name) }
    }
    return names.sorted()
  }

  private static func read(_ path: String, upTo limit: Int) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe Glibc.read(file, &bytes, limit)
    return Array(bytes.prefix(max(0, count)))
  }
}

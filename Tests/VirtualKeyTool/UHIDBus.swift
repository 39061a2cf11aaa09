import CUmockdev
import Glibc
import Synchronization
import VirtualKey

/// The running kernel's own HID layer.
///
/// Each key is a real hidraw node, made through /dev/uhid and announced by udev. There is no USB
/// device behind it, and so no name of manufacturer and product. Root only.
final class UHIDBus: Bus {
  private let unreadable: Bool
  private let devices = Mutex<[Int: UHIDDevice]>([:])

  init(unreadable: Bool) throws {
    self.unreadable = unreadable
    guard unsafe access(UHIDDevice.path, R_OK | W_OK) == 0 else {
      throw BusError("\(UHIDDevice.path): \(KernelFile.reason()) (as root: modprobe uhid)")
    }
    // For all threads of this process, and for the program: see `UHIDDevice`.
    _ = virtual_key_use_one_processor()
  }

  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws {
    let store = try key.makeStore()
    let unique = "\(getpid())-\(index)"
    let device = try UHIDDevice(name: "\(key.manufacturer) \(key.product)", unique: unique)
    devices.withLock { $0[index] = device }
    let node = try KernelNode(unique: unique)
    if unreadable { node.forbid() }
    try startThread { [self] in
      KeySession.serve(
        descriptor: device.line, line: .packets, configuration: key.configuration, store: store,
        trace: trace, unplugs: key.unplugs)
      unplug(index)
    }
  }

  func remove() {
    let indices = devices.withLock { Array($0.keys) }
    indices.forEach(unplug)
  }

  private func unplug(_ index: Int) {
    devices.withLock { $0.removeValue(forKey: index) }?.destroy()
  }
}

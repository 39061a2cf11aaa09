import Glibc
import Synchronization
import VirtualKey

/// Real USB devices on a dummy cable (dummy_hcd).
///
/// The kernel's gadget side is on one end, its USB host and HID drivers are on the other. Key
/// number N uses dummy_udc.N; libcomposite and configfs make the device. Root only.
final class GadgetBus: Bus {
  private static let gadgets = "/sys/kernel/config/usb_gadget"

  private let unreadable: Bool
  private let plugged = Mutex<Set<Int>>([])

  init(unreadable: Bool) throws {
    self.unreadable = unreadable
    guard KernelFile.exists(Self.gadgets) else {
      throw BusError(
        "no \(Self.gadgets) (as root: modprobe libcomposite; "
          + "mount -t configfs none /sys/kernel/config)")
    }
  }

  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws {
    let store = try key.makeStore()
    let port = "dummy_udc.\(index)"
    guard KernelFile.exists("/sys/class/udc/\(port)") else {
      throw BusError("no port \(port) (as root: modprobe dummy_hcd num=\(index + 1))")
    }
    _ = plugged.withLock { $0.insert(index) }
    let unique = "\(getpid())-\(index)"
    try describe(index, key, serial: unique)
    let gadget = gadget(index)
    try KernelFile.write(port, to: gadget + "/UDC")
    let number = KernelFile.read(gadget + "/functions/hid.0/dev") ?? ""
    let minor = number.filter { $0 != "\n" }.split(separator: ":").last ?? "0"
    let descriptor = try open("/dev/hidg\(minor)")
    let node = try KernelNode(unique: unique)
    if unreadable { node.forbid() }
    try startThread { [self] in
      KeySession.serve(
        descriptor: descriptor, line: .gadget, configuration: key.configuration, store: store,
        trace: trace, unplugs: key.unplugs)
      close(descriptor)
      unplug(index)
    }
  }

  func remove() {
    let indices = plugged.withLock { Array($0) }
    indices.forEach(unplug)
  }

  private func gadget(_ index: Int) -> String {
    "\(Self.gadgets)/virtual-key-\(getpid())-\(index)"
  }

  private func describe(_ index: Int, _ key: KeySettings, serial: String) throws {
    let gadget = gadget(index)
    for folder in [
      "", "/strings/0x409", "/configs/c.1", "/configs/c.1/strings/0x409", "/functions/hid.0",
    ] {
      try KernelFile.makeFolder(gadget + folder)
    }
    for (name, value) in [
      ("idVendor", "0x\(String(SimulatedUSB.vendor, radix: 16))"),
      ("idProduct", "0x\(String(SimulatedUSB.product, radix: 16))"),
      ("strings/0x409/manufacturer", key.manufacturer), ("strings/0x409/product", key.product),
      ("strings/0x409/serialnumber", serial), ("functions/hid.0/report_length", "64"),
    ] {
      try KernelFile.write(value, to: "\(gadget)/\(name)")
    }
    try KernelFile.write(
      SimulatedUSB.reportDescriptor, to: gadget + "/functions/hid.0/report_desc")
    unsafe symlink(gadget + "/functions/hid.0", gadget + "/configs/c.1/hid.0")
  }

  /// Opens the key's side, which exists as soon as the gadget is on its port.
  private func open(_ path: String) throws -> Int32 {
    let deadline = ContinuousClock.now + simulationPatience
    while true {
      let descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC)
      if descriptor >= 0 { return descriptor }
      guard errno == ENOENT, .now < deadline else {
        throw BusError("\(path): \(KernelFile.reason())")
      }
      usleep(5000)
    }
  }

  /// Takes the gadget off its port and removes it, as the kernel has room for few gadgets.
  private func unplug(_ index: Int) {
    guard plugged.withLock({ $0.remove(index) }) != nil else { return }
    let gadget = gadget(index)
    try? KernelFile.write("\n", to: gadget + "/UDC")
    unsafe unlink(gadget + "/configs/c.1/hid.0")
    for folder in [
      "/configs/c.1/strings/0x409", "/configs/c.1", "/functions/hid.0", "/strings/0x409", "",
    ] {
      unsafe rmdir(gadget + folder)
    }
  }
}

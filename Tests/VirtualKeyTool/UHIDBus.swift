import Synchronization
import VirtualKey

#if canImport(Glibc)
import Glibc
#endif

/// The running kernel's own HID layer: each key a real hidraw node, made through
/// /dev/uhid and announced by udev.
///
/// There is no USB device behind it, hence no names of manufacturer and product.
/// Root only.
final class UHIDBus: Bus {
  private static let device = "/dev/uhid"

  private let unreadable: Bool
  private let descriptors = Mutex<[Int: Int32]>([:])

  init(unreadable: Bool) throws {
    self.unreadable = unreadable
    guard unsafe access(Self.device, R_OK | W_OK) == 0 else {
      throw BusError("\(Self.device): \(KernelFile.reason()) (as root: modprobe uhid)")
    }
  }

  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws {
    let store = try key.makeStore()
    let descriptor = unsafe open(Self.device, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw BusError("\(Self.device): \(KernelFile.reason())") }
    descriptors.withLock { $0[index] = descriptor }
    let unique = "\(getpid())-\(index)"
    let event = UHIDEvent.create(
      name: "\(key.manufacturer) \(key.product)", unique: unique, vendor: SimulatedUSB.vendor,
      product: SimulatedUSB.product, reportDescriptor: SimulatedUSB.reportDescriptor)
    try KernelFile.write(event, to: descriptor, Self.device)
    let node = try KernelNode(unique: unique)
    if unreadable { node.forbid() }
    try startThread { [self] in
      // A key has a processor of its own, and the kernel's queue of reports is short.
      setpriority(Int32(PRIO_PROCESS.rawValue), 0, -20)
      KeySession.serve(
        descriptor: descriptor, line: .uhid, configuration: key.configuration, store: store,
        trace: trace, unplugAfterMilliseconds: key.unplugAfterMilliseconds)
      unplug(index)
    }
  }

  func remove() {
    let indices = descriptors.withLock { Array($0.keys) }
    indices.forEach(unplug)
  }

  private func unplug(_ index: Int) {
    let descriptor = descriptors.withLock { $0.removeValue(forKey: index) }
    // Its number stays taken: a thread may still be waiting on it.
    if let descriptor { try? KernelFile.write(UHIDEvent.destroy, to: descriptor, Self.device) }
  }
}

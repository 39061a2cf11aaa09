import CUmockdev
import Glibc
import Synchronization
import VirtualKey

/// Our own /sys and /dev, which umockdev's preload library shows to programs.
///
/// They are in a folder in the temporary directory, which `remove` deletes.
final class UmockdevBus: Bus {
  private static let reportDescriptor = SimulatedUSB.reportDescriptor.hexadecimal

  @safe private struct Testbed {
    // Owned here, and used only under the lock.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<UMockdevTestbed>
  }

  private let testbed: Mutex<Testbed?>
  private let unreadable: Bool

  init(unreadable: Bool) throws {
    // The testbed sets UMOCKDEV_DIR; the child inherits both. Its thread reads the environment,
    // which must not change after that.
    Self.preload()
    // The testbed sets this variable when its thread already runs. Then replacing a value is
    // harmless. Adding one moves the whole environment while a thread reads it.
    unsafe setenv("UMOCKDEV_DIR", "", 1)
    guard let pointer = unsafe umockdev_testbed_new() else {
      throw BusError("umockdev makes no testbed")
    }
    self.unreadable = unreadable
    testbed = unsafe Mutex(Testbed(pointer: pointer))
  }

  private static let library = "libumockdev-preload.so.0"

  /// Makes programs started from here load umockdev's library.
  private static func preload() {
    let others = unsafe getenv("LD_PRELOAD").map { unsafe String(cString: $0) }
    guard others?.contains(library) != true else { return }
    unsafe setenv("LD_PRELOAD", library + (others.map { ":" + $0 } ?? ""), 1)
  }

  /// Starts this program again with umockdev's library loaded, unless it is loaded.
  ///
  /// Only then can the testbed announce devices that come and go: it looks them up in its own /sys.
  static func preloadIntoThisProcess() {
    if unsafe getenv("LD_PRELOAD").map({ unsafe String(cString: $0) })?.contains(library) == true {
      return
    }
    preload()
    unsafe execv("/proc/self/exe", CommandLine.unsafeArgv)
  }

  func remove() {
    testbed.withLock { testbed in
      guard let pointer = unsafe testbed?.pointer else { return }
      unsafe virtual_key_free_testbed(pointer)
      testbed = nil
    }
  }

  func plug(_ index: Int, _ key: KeySettings, trace: Trace, announced: Bool) throws {
    let store = try key.makeStore()
    let node = "/dev/hidraw\(index)"
    let descriptor = try testbed.withLock { testbed in
      guard let bed = unsafe testbed?.pointer else { throw BusError("the bus is gone") }
      return unsafe try add(bed, index, key, node)
    }
    try startThread { [self] in
      KeySession.serve(
        descriptor: descriptor, line: .terminal, configuration: key.configuration,
        store: store, trace: trace, unplugs: key.unplugs)
      unplug(index, descriptor)
    }
    if announced { announceAgain(index) }
  }

  /// Announces a node again, for programs that asked too early: the testbed announces it before it
  /// can answer requests.
  private func announceAgain(_ index: Int) {
    usleep(500_000)
    testbed.withLock { testbed in
      guard let bed = unsafe testbed?.pointer, unsafe isPlugged(index, in: bed) else { return }
      unsafe announce("add", index, in: bed)
    }
  }

  private func announce(
    _ action: String, _ index: Int, in bed: UnsafeMutablePointer<UMockdevTestbed>
  ) {
    guard let root = unsafe umockdev_testbed_get_root_dir(bed) else { return }
    UdevMessage(action, path: Self.path(index), node: "/dev/hidraw\(index)")
      .send(in: unsafe String(cString: root))
  }

  private func isPlugged(_ index: Int, in bed: UnsafeMutablePointer<UMockdevTestbed>) -> Bool {
    guard let root = unsafe umockdev_testbed_get_root_dir(bed) else { return false }
    return unsafe access(String(cString: root) + "/dev/hidraw\(index)", F_OK) == 0
  }

  private func add(
    _ bed: UnsafeMutablePointer<UMockdevTestbed>, _ index: Int, _ key: KeySettings, _ node: String
  ) throws -> Int32 {
    var failure: UnsafeMutablePointer<GError>?
    let description = Self.description(index, key)
    // Before the testbed announces the node: umockdev's library ends a program that makes a request
    // without an answer.
    try unsafe loadRequests(bed, node)
    guard unsafe umockdev_testbed_add_from_string(bed, description, &failure) != 0 else {
      throw unsafe BusError(failure)
    }
    let descriptor = unsafe umockdev_testbed_get_dev_fd(bed, node)
    guard descriptor >= 0 else { throw BusError("\(node) has no terminal") }
    // A program that held the master itself would never see the key go.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    if unreadable, let root = unsafe umockdev_testbed_get_root_dir(bed) {
      unsafe chmod(String(cString: root) + node, 0)
    }
    return descriptor
  }

  /// The two ioctls that libfido2 makes before it speaks.
  private func loadRequests(_ bed: UnsafeMutablePointer<UMockdevTestbed>, _ node: String) throws {
    let padding = String(repeating: "0", count: 2 * (4096 - 34))
    let text = """
      @DEV \(node)
      HIDIOCGRDESCSIZE 0 22000000
      HIDIOCGRDESC 0 22000000\(Self.reportDescriptor)\(padding)

      """
    guard let root = unsafe umockdev_testbed_get_root_dir(bed) else {
      throw BusError("the testbed has no folder")
    }
    let path = unsafe String(cString: root) + "/requests"
    guard let file = unsafe fopen(path, "w") else { throw BusError("cannot write \(path)") }
    unsafe fputs(text, file)
    unsafe fclose(file)
    var failure: UnsafeMutablePointer<GError>?
    let loaded = unsafe umockdev_testbed_load_ioctl(bed, node, path, &failure)
    unsafe unlink(path)
    guard loaded != 0 else { throw unsafe BusError(failure) }
  }

  /// Pulls the key out: its node goes, and a program that has it open gets an error.
  private func unplug(_ index: Int, _ descriptor: Int32) {
    testbed.withLock { testbed in
      guard let bed = unsafe testbed?.pointer else { return }
      // As in the kernel, the node goes before anyone is told.
      if let root = unsafe umockdev_testbed_get_root_dir(bed) {
        unsafe unlink(String(cString: root) + "/dev/hidraw\(index)")
      }
      unsafe announce("remove", index, in: bed)
      unsafe umockdev_testbed_remove_device(bed, Self.path(index))
      // The testbed keeps the terminal's master and closes its descriptor at the end. Replacing
      // that descriptor with /dev/null hangs up on the client.
      let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
      dup2(nothing, descriptor)
      close(nothing)
    }
  }

  private static func path(_ index: Int) -> String {
    let port = index + 1
    return "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-\(port)/1-\(port):1.0"
      + "/0003:1209:F1D0.000\(port)/hidraw/hidraw\(index)"
  }

  /// The hidraw node and the two parents that libfido2 and udev look at.
  private static func description(_ index: Int, _ key: KeySettings) -> String {
    let node = path(index).dropFirst("/sys".count)
    let hid = node.dropLast("/hidraw/hidraw0".count)
    let usb = hid.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    return """
      P: \(usb)
      E: DEVTYPE=usb_device
      E: SUBSYSTEM=usb
      A: manufacturer=\(key.manufacturer)
      A: product=\(key.product)
      A: idVendor=1209
      A: idProduct=f1d0
      A: serial=\(index)

      P: \(hid)
      E: SUBSYSTEM=hid
      E: HID_ID=0003:00001209:0000F1D0
      E: HID_NAME=\(key.manufacturer) \(key.product)
      E: HID_PHYS=usb-0000:00:14.0-\(index + 1)/input0
      E: HID_UNIQ=
      H: report_descriptor=\(reportDescriptor)

      P: \(node)
      N: hidraw\(index)
      E: DEVNAME=/dev/hidraw\(index)
      E: SUBSYSTEM=hidraw
      E: MAJOR=240
      E: MINOR=\(index)
      E: ID_FIDO_TOKEN=1
      E: ID_SECURITY_TOKEN=1

      """
  }
}

extension BusError {
  init(_ failure: UnsafeMutablePointer<GError>?) {
    self.init(unsafe failure.map { unsafe String(cString: $0.pointee.message) } ?? "umockdev")
  }
}

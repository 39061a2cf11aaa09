internal import CUdev

/// Detects when hidraw devices connect and disconnect.
///
/// It has two sources. udev reports after its rules have set the permissions. The kernel is the
/// only source in a container without udev.
@safe
final class HotplugMonitor: @unchecked Sendable {
  // `@unchecked Sendable`: after `init` only one thread reads.
  private let udev: OpaquePointer
  private let monitors: [OpaquePointer]

  /// The file descriptors to wait on for reading.
  let files: [Int32]

  init() throws(PRFDeviceError) {
    guard let udev = unsafe udev_new() else { throw .outOfMemory }
    unsafe self.udev = udev
    let monitors = unsafe ["udev", "kernel"].compactMap { source -> OpaquePointer? in
      guard let monitor = unsafe udev_monitor_new_from_netlink(udev, source) else { return nil }
      guard unsafe udev_monitor_filter_add_match_subsystem_devtype(monitor, "hidraw", nil) >= 0,
        unsafe udev_monitor_enable_receiving(monitor) >= 0
      else {
        unsafe udev_monitor_unref(monitor)
        return nil
      }
      return unsafe monitor
    }
    unsafe self.monitors = monitors
    files = unsafe monitors.map { unsafe udev_monitor_get_fd($0) }
  }

  deinit {
    for index in files.indices { unsafe udev_monitor_unref(monitors[index]) }
    unsafe udev_unref(udev)
  }

  /// Discards the received events; the devices are then listed again.
  func drain() {
    for index in files.indices {
      // The sockets do not block: `nil` means that nothing is left.
      while let device = unsafe udev_monitor_receive_device(monitors[index]) {
        unsafe udev_device_unref(device)
      }
    }
  }
}

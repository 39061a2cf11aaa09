internal import CFido2

/// The authenticators connected by USB.
public enum AuthenticatorList {
  /// The rule file that gives the person at the computer access to the device
  /// files, as it is installed under /etc/udev/rules.d.
  public static let udevRuleName = "70-keybackup.rules"

  private static let capacity = 64

  /// The authenticators that can be opened, in the system's order.
  ///
  /// - Throws: ``PRFDeviceError/permissionDenied(path:)`` when there are
  ///   authenticators and none of them may be opened.
  public static func connected() throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let found = try manifest()
    if found.isEmpty, let path = inaccessible().first {
      throw .permissionDenied(path: path)
    }
    return found
  }

  /// Device files of authenticators that this user may not open.
  public static func inaccessible() -> [String] {
    HIDNode.all().filter { $0.isAuthenticator && $0.isForbidden }.map(\.path)
  }

  /// The authenticator at a device file.
  ///
  /// - Throws: ``PRFDeviceError/noAuthenticator`` when there is none, or
  ///   ``PRFDeviceError/permissionDenied(path:)``.
  public static func authenticator(
    at path: String
  ) throws(PRFDeviceError) -> AuthenticatorDescriptor {
    if let found = try manifest().first(where: { $0.path == path }) { return found }
    if inaccessible().contains(path) { throw .permissionDenied(path: path) }
    throw .noAuthenticator
  }

  /// What libfido2 finds, which leaves out what cannot be opened.
  static func manifest() throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let handle = try DeviceInfoList(capacity: capacity)
    var count = 0
    let status = FIDOStatus(
      code: unsafe fido_dev_info_manifest(handle.pointer, handle.capacity, &count))
    // libfido2 reports an internal error where the system has no hidraw class
    // at all: there is no authenticator then.
    guard status.isOK || status.code == FIDO_ERR_INTERNAL else { throw status.error }
    let list = DeviceEntry.List(handle)
    return (0..<count).compactMap { AuthenticatorDescriptor(DeviceEntry(list, $0)) }
  }
}

extension AuthenticatorDescriptor {
  init?(_ entry: DeviceEntry) {
    guard let info = unsafe entry.pointer,
      let path = unsafe CBytes.text(fido_dev_info_path(info))
    else { return nil }
    self.init(
      path: path,
      product: unsafe CBytes.text(fido_dev_info_product_string(info)) ?? "",
      manufacturer: unsafe CBytes.text(fido_dev_info_manufacturer_string(info)) ?? "",
      vendorID: UInt16(bitPattern: unsafe fido_dev_info_vendor(info)),
      productID: UInt16(bitPattern: unsafe fido_dev_info_product(info)),
      transport: path.hasPrefix("/dev/hidraw") ? .usb : .nfc, entry: entry)
  }
}

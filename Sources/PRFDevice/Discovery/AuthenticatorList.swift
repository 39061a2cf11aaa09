// This folder is for listing the authenticators in reach, and waiting for one to come.
// Callers get descriptors. None is opened by its descriptor here; only a card is asked
// whether it is one.

internal import CFido2

/// The authenticators in reach: plugged in, or on a smart-card or NFC reader.
public enum AuthenticatorList {
  /// The rule file that gives the person at the computer access to the device
  /// files, as it is installed under /etc/udev/rules.d.
  public static let udevRuleName = "70-keybackup.rules"

  private static let capacity = 64

  /// Every authenticator that can be opened: those plugged in, in the system's
  /// order, then those on readers.
  ///
  /// The cards on the readers are asked who they are, which takes each some
  /// milliseconds; without pcscd, or without a card, it costs nothing.
  ///
  /// - Throws: ``PRFDeviceError/permissionDenied(path:)`` when there are
  ///   authenticators and none of them may be opened.
  public static func connected() async throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let found = try manifest() + (await readers()).authenticators
    if found.isEmpty { try requireAccess() }
    return found
  }

  /// The authenticators that are plugged in and can be opened, in the system's
  /// order; no card is disturbed.
  ///
  /// - Throws: ``PRFDeviceError/permissionDenied(path:)`` when there are some
  ///   and none of them may be opened.
  public static func pluggedIn() throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let found = try manifest()
    if found.isEmpty { try requireAccess() }
    return found
  }

  /// The readers and what is on them; asks every card whether it is a security
  /// key.
  public static func readers() async -> ReaderReport {
    await withCheckedContinuation { continuation in
      do throws(PRFDeviceError) {
        try BackgroundThread.start {
          continuation.resume(returning: ReaderSurvey.runWithinLimit())
        }
      } catch {
        continuation.resume(returning: ReaderReport(service: .notRunning, readers: []))
      }
    }
  }

  /// Device files of authenticators that this user may not open.
  public static func inaccessible() -> [String] {
    HIDNode.all().filter { $0.isAuthenticator && $0.isForbidden }.map(\.path)
  }

  /// The authenticator at a path.
  ///
  /// - Throws: ``PRFDeviceError/noAuthenticator`` when there is none, or
  ///   ``PRFDeviceError/permissionDenied(path:)``.
  public static func authenticator(
    at path: String
  ) async throws(PRFDeviceError) -> AuthenticatorDescriptor {
    if path.hasPrefix(AuthenticatorDescriptor.readerScheme) {
      // Whatever card is there, opening tells best what is wrong with it.
      let name = String(path.dropFirst(AuthenticatorDescriptor.readerScheme.count))
      let reader = await readers().readers.first { $0.name == name && $0.state != .empty }
      guard let reader else { throw .noAuthenticator }
      return AuthenticatorDescriptor(reader)
    }
    if let found = try manifest().first(where: { $0.path == path }) { return found }
    if inaccessible().contains(path) { throw .permissionDenied(path: path) }
    throw .noAuthenticator
  }

  /// Refuses when there are authenticators that may not be opened.
  static func requireAccess() throws(PRFDeviceError) {
    if let path = inaccessible().first { throw .permissionDenied(path: path) }
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
      transport: path.hasPrefix("/dev/hidraw") ? .usb : .nfc, way: .libfido2(entry), insertion: 0)
  }
}

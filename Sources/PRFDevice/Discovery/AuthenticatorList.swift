// This folder is for listing the connected authenticators, and waiting for one. Callers receive
// descriptors. No authenticator is opened by its descriptor here; only a card is asked whether it
// is one.

internal import CFido2
internal import Glibc

/// The connected authenticators: plugged in, or on a smart-card or NFC reader.
public enum AuthenticatorList {
  /// The rule file that gives the user at the computer access to the device files, as installed
  /// under /etc/udev/rules.d.
  public static let udevRuleName = "70-keybackup.rules"

  private static let capacity = 64

  /// Every authenticator that can be opened: first those plugged in, in the system's order, then
  /// those on readers.
  ///
  /// Each card on a reader is queried, which takes some milliseconds. Without pcscd, or without a
  /// card, it costs nothing.
  ///
  /// - Throws: ``PRFDeviceError/permissionDenied(path:)`` when there are
  ///   authenticators and none of them may be opened.
  public static func connected() async throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let found = try manifest() + (await readers()).authenticators
    if found.isEmpty { try requireAccess() }
    return found
  }

  /// The authenticators that are plugged in and can be opened, in the system's order; cards are not
  /// queried.
  ///
  /// - Throws: ``PRFDeviceError/permissionDenied(path:)`` when there are some
  ///   and none of them may be opened.
  public static func pluggedIn() throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let found = try manifest()
    if found.isEmpty { try requireAccess() }
    return found
  }

  /// The readers and their cards; asks every card whether it is a security key.
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

  /// The device files of authenticators that this user may not open.
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
      // Whatever card is there, opening it reports its problem best.
      let name = String(path.dropFirst(AuthenticatorDescriptor.readerScheme.count))
      let reader = await readers().readers.first { $0.name == name && $0.state != .empty }
      guard let reader else { throw .noAuthenticator }
      return AuthenticatorDescriptor(reader)
    }
    if let found = try manifest().first(where: { $0.path == path }) { return found }
    if inaccessible().contains(path) { throw .permissionDenied(path: path) }
    throw .noAuthenticator
  }

  /// Throws if there may be authenticators that were not found: they may not be opened, or the
  /// process has no descriptors left to look at them.
  static func requireAccess() throws(PRFDeviceError) {
    try requireDescriptors()
    if let path = inaccessible().first { throw .permissionDenied(path: path) }
  }

  /// The descriptors that listing the devices needs, about.
  private static let neededDescriptors = 8

  /// Throws if too few descriptors are left: libfido2 then lists no device, without an error.
  private static func requireDescriptors() throws(PRFDeviceError) {
    var spare: [Int32] = []
    defer { for file in spare { close(file) } }
    while spare.count < neededDescriptors {
      let file = unsafe open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if file < 0 {
        guard errno == EMFILE || errno == ENFILE else { return }
        throw .system(errno: Int(errno))
      }
      spare.append(file)
    }
  }

  /// The devices that libfido2 lists; it omits those that cannot be opened.
  static func manifest() throws(PRFDeviceError) -> [AuthenticatorDescriptor] {
    let handle = try DeviceInfoList(capacity: capacity)
    var count = 0
    let status = FIDOStatus(
      code: unsafe fido_dev_info_manifest(handle.pointer, handle.capacity, &count))
    // libfido2 reports an internal error if the system has no hidraw class; there is no
    // authenticator then.
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

internal import CLinux
internal import CommandKit
internal import Glibc
internal import PRFDevice

/// Device files of security keys that are there and closed to this user.
enum DeviceAccessCheck {
  static func run(_ devices: Devices) -> Check {
    let closed = devices.inaccessible()
    guard let first = closed.first else {
      return .ok("device-access", "no security key's device file is closed to you")
    }
    return .failed(
      "device-access", .permissionDenied,
      "you may not open \(closed.joined(separator: ", ")) (\(mode(of: first)))",
      hint: """
        \(UdevRules.installation)
        then replug the key. Not sitting at this computer (ssh, no logind)?  \
        sudo usermod -aG plugdev $USER  and log in again.
        """)
  }

  /// Who may open it, as `ls -l` would say.
  private static func mode(of path: String) -> String {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return systemText(errno) }
    let digits = String(status.st_mode & 0o777, radix: 8)
    return "mode \(digits), user \(status.st_uid), group \(status.st_gid)"
  }
}

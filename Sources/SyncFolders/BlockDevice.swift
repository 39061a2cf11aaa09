package import BackupFolder
package import CLinux
internal import CommandKit
internal import FoundationEssentials
internal import Glibc

/// The disk under a file system, as sysfs describes it.
package struct BlockDevice: Sendable {
  /// Its folder in sysfs.
  private let folder: String

  /// Finds the disk; nil when none is known below the file system.
  ///
  /// - Parameters:
  ///   - mount: the file system.
  ///   - root: the folder that replaces "/".
  package init?(of mount: MountTable.Mount, root: String = "") {
    var number = mount.device
    if number.hasPrefix("0:"), mount.source.hasPrefix("/dev/") {
      // btrfs and others have their own device number.
      var status = stat()
      guard unsafe stat(root + mount.source, &status) == 0, status.st_mode & S_IFMT == S_IFBLK
      else { return nil }
      number = Self.number(status.st_rdev)
    }
    self.init(folder: root + "/sys/dev/block/" + number)
  }

  private init?(folder: String) {
    guard let path = FileCheck.absolute(folder) else { return nil }
    self.folder = path
  }

  /// Whether it is made to be unplugged: a USB disk or a removable medium.
  ///
  /// For an encrypted or combined disk, whether one below it is.
  var isRemovable: Bool { isRemovable(depth: 8) }

  private func isRemovable(depth: Int) -> Bool {
    if folder.contains("/usb") { return true }
    // A partition's disk is its parent folder.
    for place in [folder, folder + "/.."] where flag(place + "/removable") { return true }
    guard depth > 0 else { return false }
    let below = ForeignFile.names(in: folder + "/slaves")
    return below.contains { name in
      BlockDevice(folder: folder + "/slaves/" + name)?.isRemovable(depth: depth - 1) ?? false
    }
  }

  private func flag(_ path: String) -> Bool {
    ForeignFile.text(path, limit: 4096)?.trimmed == "1"
  }

  /// The major and minor number of a device, such as "8:17": reverses makedev(3), as macros do.
  package static func number(_ device: dev_t) -> String {
    let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    let minor = device & 0xFF | (device >> 12) & ~0xFF
    return "\(major):\(minor)"
  }
}

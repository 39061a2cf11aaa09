// This folder is for backups of SealVault, version 1: zip files that it put into iCloud. It uses
// BLAKE3 and the libraries that are looked up. Files and folders are not known here.

/// The name of a SealVault backup: what it claims, before anything is proved.
package struct SealVaultName: Hashable, Sendable {
  /// Its scheme; this program knows `v1`.
  package let scheme: String
  /// The operating system, as `ios`.
  package let operatingSystem: String
  /// Unix seconds.
  package let timestamp: Int64
  /// The ID of the device: letters, digits and hyphens.
  package let deviceID: String
  /// The number that grows with every backup of a device.
  package let version: Int64

  /// The scheme that can be read and written.
  package static let knownScheme = "v1"
  /// How every name begins.
  package static let prefix = "sealvault_backup_"
  private static let suffix = ".zip"

  /// The parts of a new name.
  package init(operatingSystem: String, timestamp: Int64, deviceID: String, version: Int64) {
    scheme = Self.knownScheme
    self.operatingSystem = operatingSystem
    self.timestamp = timestamp
    self.deviceID = deviceID
    self.version = version
  }

  /// Reads a file's name.
  ///
  /// - Returns: nil for a name that SealVault does not give.
  package init?(_ name: String) {
    guard name.utf8.count <= 255, name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else {
      return nil
    }
    let middle = name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)
    let parts = middle.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, parts.allSatisfy(Self.isWord),
      let timestamp = Int64(parts[2]), let version = Int64(parts[4]),
      timestamp >= 0, version >= 0
    else { return nil }
    scheme = parts[0]
    operatingSystem = parts[1]
    self.timestamp = timestamp
    deviceID = parts[3]
    self.version = version
    // Leading zeroes, or a plus sign.
    guard text == name else { return nil }
  }

  /// The file's name.
  package var text: String {
    "\(Self.prefix)\(scheme)_\(operatingSystem)_\(timestamp)_\(deviceID)_\(version)\(Self.suffix)"
  }

  /// Whether a text may be a part of a name: letters, digits and hyphens of ASCII, at least one.
  package static func isWord(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || byte == 0x2D
      }
  }

  /// Whether this one is offered before another: by time, version and device, as SealVault does.
  package func isNewer(than other: SealVaultName) -> Bool {
    (timestamp, version, deviceID) > (other.timestamp, other.version, other.deviceID)
  }
}

internal import Glibc

/// The environment variables of a process, by their bytes.
///
/// A repaired path may be another one than the caller meant. So a variable that a command reads is
/// UTF-8, or nothing is done. Others go to other programs as they are.
public struct ProcessVariables: Sendable {
  /// The variables that are UTF-8.
  package private(set) var values: [String: String] = [:]
  /// The others, each `NAME=value` and a NUL byte.
  package private(set) var others: [[CChar]] = []
  /// The name of a variable that the commands read and that is not UTF-8; nil if there is none.
  public private(set) var refused: String?

  /// The variables of this process.
  public static func ofProcess() -> ProcessVariables {
    var lines: [[CChar]] = []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      lines.append(unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1)))
      unsafe entry += 1
    }
    return ProcessVariables(lines)
  }

  /// Sorts variables.
  ///
  /// - Parameter lines: `NAME=value` and a NUL byte each.
  package init(_ lines: [[CChar]]) {
    for line in lines {
      let bytes = line.dropLast().map { UInt8(bitPattern: $0) }
      guard let split = bytes.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(validating: bytes[..<split], as: UTF8.self)
      if let name, let value = String(validating: bytes[(split + 1)...], as: UTF8.self) {
        values[name] = value
        continue
      }
      others.append(line)
      if let name, Self.isRead(name) { refused = refused ?? name }
    }
  }

  /// Whether a command reads a variable, itself or by a library that looks for files.
  private static func isRead(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy {
      $0 == 95 || (48...57).contains($0) || (65...90).contains($0)
    }
    return isPlain && (names.contains(name) || families.contains { name.hasPrefix($0) })
  }

  private static let families = [
    "KEYBACKUP_", "XDG_", "LC_", "SSH_ASKPASS", "SSL_CERT_", "WATCHDOG_",
  ]
  private static let names: Set<String> = [
    "COLUMNS", "CREDENTIALS_DIRECTORY", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "LANG",
    "NOTIFY_SOCKET", "NO_COLOR", "PATH", "STATE_DIRECTORY", "TERM", "TMPDIR", "USER",
    "WAYLAND_DISPLAY",
  ]
}

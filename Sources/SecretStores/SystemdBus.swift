internal import CSystemd
internal import Glibc

/// The D-Bus client of libsystemd, sd-bus(3).
///
/// It is opened when a message bus is first used, because few commands use one.
enum SystemdBus {
  /// The functions of the library.
  ///
  /// - Throws: ``SecretStoreError/noBusLibrary`` if it is missing.
  static func functions() throws(SecretStoreError) -> keybackup_sd_bus {
    guard let found = loaded else { throw .noBusLibrary }
    return found
  }

  private static let loaded = open("libsystemd.so.0")

  /// Finds the functions in a library; nil if it is missing or lacks one of them.
  static func open(_ library: String) -> keybackup_sd_bus? {
    var functions = keybackup_sd_bus()
    return unsafe keybackup_open_sd_bus(library, &functions) == 1 ? functions : nil
  }

  /// The error for a negative result of sd-bus, an errno.
  static func error(_ result: Int32) -> SecretStoreError {
    switch -result {
    case EPERM, EACCES: .busRefused
    case ECONNRESET, ENOTCONN, EPIPE, ESHUTDOWN: .noSessionBus
    case ETIMEDOUT: .timedOut
    case ENOMEM: .system(ENOMEM)
    default: .protocolViolation("message")
    }
  }

  /// Throws the error for a negative result.
  static func check(_ result: Int32) throws(SecretStoreError) {
    if result < 0 { throw error(result) }
  }
}

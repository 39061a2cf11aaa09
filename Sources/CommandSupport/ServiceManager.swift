internal import Glibc

// This module is for what both commands have, `keybackup` and `keybackup-guard`. That is their
// version, the service manager that started them, and text that a shell takes for more than text.
// It knows no backup and no guard.

/// The service manager that started this program, if one did and wants to hear of it: sd_notify(3).
public struct ServiceManager: Sendable {
  private let address: String?
  /// How often it wants a sign of life; nil: never.
  public let aliveEvery: Duration?

  /// Takes it from the environment, as systemd sets it.
  ///
  /// - Parameter environment: the variables of the process.
  public init(environment: [String: String]) {
    address = environment["NOTIFY_SOCKET"]
    // The variables may have been meant for another process that started this one.
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    // It recommends half of its limit.
    aliveEvery = isMeant && limit > 1 ? .microseconds(limit / 2) : nil
  }

  /// The program does its work now.
  public func tellReady() { send("READY=1") }

  /// The program is alive.
  public func tellAlive() { if aliveEvery != nil { send("WATCHDOG=1") } }

  /// The program is about to end.
  public func tellStopping() { send("STOPPING=1") }

  /// The program's work, as people see it in `systemctl status`.
  ///
  /// - Parameter line: safe to show and without a line end, after which it could say something else.
  public func tell(line: String) { send("STATUS=\(line)") }

  /// Sends one datagram; nobody waits for what becomes of it.
  private func send(_ text: String) {
    guard let address, let name = Self.name(address) else { return }
    let socket = Glibc.socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    var place = name.address
    let bytes = Array(text.utf8)
    unsafe withUnsafePointer(to: &place) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = unsafe sendto(
          socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), pointer, name.size)
      }
    }
  }

  /// The address of a socket: a path, or a name in the abstract namespace after `@`.
  ///
  /// - Returns: nil for another kind of address, and one that is too long.
  private static func name(_ text: String) -> (address: sockaddr_un, size: socklen_t)? {
    guard let first = text.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
    else { return nil }
    var bytes = Array(text.utf8)
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count < place.count else { return false }
      unsafe place.copyBytes(from: bytes)
      return true
    }
    let path = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    return fits ? (address, socklen_t(path + bytes.count)) : nil
  }
}

internal import Glibc
internal import NIOCore

/// An IP address without a port.
///
/// An IPv4 address inside an IPv6 one is the IPv4 address.
struct IPAddress: Hashable, Sendable {
  /// The bytes, 4 or 16.
  let bytes: [UInt8]

  /// The address of a socket; nil for a Unix socket.
  init?(_ address: SocketAddress) {
    guard let text = address.ipAddress else { return nil }
    self.init(text)
  }

  /// Reads an address, such as `192.0.2.1` or `2001:db8::1`.
  init?(_ text: String) {
    var all = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, text, &all) == 1 {
      bytes = Array(all.prefix(4))
    } else if unsafe inet_pton(AF_INET6, text, &all) == 1 {
      let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
      bytes = all.starts(with: mapped) ? Array(all[12...]) : all
    } else {
      return nil
    }
  }

  /// Whether it is this computer's own.
  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// The part that belongs to one client: all of IPv4, the first 64 bits of IPv6.
  var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }
}

internal import NIOCore

/// The place from which a request comes, as far as this server can know.
///
/// It is kept in memory only, and never logged.
enum ClientAddress: Hashable, Sendable {
  /// An address.
  case network(IPAddress)
  /// A program of this computer, by a Unix socket.
  case socket
  /// Somebody whose address the system does not tell: the connection was reset already.
  case unknown

  /// Whether it is a program of this computer.
  var isLocal: Bool {
    switch self {
    case .network(let address): address.isLoopback
    case .socket: true
    case .unknown: false
    }
  }

  /// The bytes that are one client: without the part that it can choose itself.
  var limited: [UInt8] {
    switch self {
    case .network(let address): address.network
    case .socket: []
    // Shorter than an address, and not the byte that `AddressLimits` gives to many clients.
    case .unknown: [1]
    }
  }
}

/// The forwarders whose word about a client's address counts.
struct TrustedProxies: Sendable {
  /// The header that names the client's address.
  static let header = "X-Forwarded-For"

  private let addresses: Set<IPAddress>
  private let isSocketTrusted: Bool
  private let listensOnSocket: Bool

  /// - Parameters:
  ///   - addresses: the forwarders.
  ///   - isSocketTrusted: whether what comes by a Unix socket is one.
  ///   - listensOnSocket: whether connections come by a Unix socket.
  init(_ addresses: Set<IPAddress>, isSocketTrusted: Bool, listensOnSocket: Bool = false) {
    self.addresses = addresses
    self.isSocketTrusted = isSocketTrusted
    self.listensOnSocket = listensOnSocket
  }

  /// The client of a connection.
  func peer(_ address: SocketAddress?) -> ClientAddress {
    if let address = address.flatMap({ IPAddress($0) }) { return .network(address) }
    return listensOnSocket ? .socket : .unknown
  }

  /// Whether a connection's other end is a forwarder.
  func isProxy(_ peer: ClientAddress) -> Bool {
    switch peer {
    case .network(let address): addresses.contains(address)
    case .socket: isSocketTrusted
    case .unknown: false
    }
  }

  /// The client of a request.
  ///
  /// Each forwarder adds the address that it saw at the end of the header. So the last address that
  /// is no forwarder's own is the client's; whatever stands before it, the client has made up.
  ///
  /// - Parameters:
  ///   - peer: the other end of the connection.
  ///   - forwarded: the header's values, in their order.
  /// - Returns: the client, or the forwarder where it names none.
  func client(of peer: ClientAddress, forwarded: [String]) -> ClientAddress {
    guard isProxy(peer) else { return peer }
    let names = forwarded.joined(separator: ",").split(separator: ",")
    for name in names.reversed() {
      let text = String(name.drop { $0 == " " }.prefix { $0 != " " })
      // A forwarder that says something else than an address stands for its clients itself.
      guard let address = IPAddress(text) else { return peer }
      if !addresses.contains(address) { return .network(address) }
    }
    return peer
  }
}

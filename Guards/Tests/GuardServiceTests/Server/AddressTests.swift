import NIOCore
import Testing

@testable import GuardService

@Suite("Addresses of clients")
struct AddressTests {
  private func address(_ text: String) throws -> ClientAddress {
    .network(try #require(IPAddress(text)))
  }

  @Test func `An IPv4 address in an IPv6 one is the IPv4 address`() throws {
    #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
    #expect(IPAddress("::ffff:127.0.0.1")?.isLoopback == true)
    #expect(IPAddress("::1")?.isLoopback == true)
    #expect(IPAddress("127.9.9.9")?.isLoopback == true)
    #expect(IPAddress("128.0.0.1")?.isLoopback == false)
    for text in ["", "1.2.3", "localhost", "1.2.3.4.5", "::g", "1.2.3.4:5", "[::1]", " ::1"] {
      #expect(IPAddress(text) == nil, "\(text)")
    }
  }

  @Test func `A client is one IPv4 address, or the first 64 bits of an IPv6 one`() throws {
    let limits = AddressLimits(perMinute: 1)
    #expect(limits.admit(1, of: try address("2001:db8:1:2::1"), at: 0))
    #expect(!limits.admit(1, of: try address("2001:db8:1:2:ffff::9"), at: 0))
    #expect(limits.admit(1, of: try address("2001:db8:1:3::1"), at: 0))
    #expect(limits.admit(1, of: try address("192.0.2.1"), at: 0))
    #expect(!limits.admit(1, of: try address("::ffff:192.0.2.1"), at: 0))
    #expect(limits.admit(1, of: try address("192.0.2.2"), at: 0))
  }

  @Test func `A bucket fills up again with time, and never beyond its size`() throws {
    let limits = AddressLimits(perMinute: 60)
    let client = try address("192.0.2.1")
    let second: UInt64 = 1_000_000_000
    for _ in 0..<60 { #expect(limits.admit(1, of: client, at: 0)) }
    #expect(!limits.admit(1, of: client, at: 0))
    #expect(limits.admit(1, of: client, at: second))
    #expect(!limits.admit(1, of: client, at: second))
    #expect(!limits.admit(10, of: client, at: 10 * second))
    #expect(limits.admit(10, of: client, at: 11 * second))
    // A clock that seems to go back gives nothing.
    #expect(!limits.admit(1, of: client, at: 0))
    for _ in 0..<60 { #expect(limits.admit(1, of: client, at: 10_000 * second)) }
    #expect(!limits.admit(1, of: client, at: 10_000 * second))
    // A cost beyond the size is the size.
    #expect(AddressLimits(perMinute: 5).admit(10, of: client, at: 0))
    #expect(AddressLimits(perMinute: 0).admit(1_000_000, of: client, at: 0))
  }

  @Test func `A million clients take no more room than the table has, and share a bucket`() throws {
    let limits = AddressLimits(perMinute: 2)
    var admitted = 0
    for number in 0..<(2 * AddressLimits.maximumClients) {
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      let text = bytes.map(String.init).joined(separator: ".")
      if limits.admit(1, of: try address(text), at: 0) { admitted += 1 }
    }
    // Each of the first has its own; the others together have one.
    #expect(admitted == AddressLimits.maximumClients + 2)
    // A minute later the full buckets are forgotten.
    #expect(limits.admit(1, of: try address("203.0.113.1"), at: 60_000_000_000))
  }

  @Test func `The last address that is no proxy's own is the client`() throws {
    let proxy = try #require(IPAddress("10.0.0.1"))
    let second = try #require(IPAddress("10.0.0.2"))
    let proxies = TrustedProxies([proxy, second], isSocketTrusted: true)
    let client = try address("203.0.113.7")
    func seen(_ forwarded: [String], by peer: ClientAddress = .network(proxy)) -> ClientAddress {
      proxies.client(of: peer, forwarded: forwarded)
    }
    #expect(seen(["203.0.113.7"]) == client)
    #expect(seen(["198.51.100.1, 203.0.113.7"]) == client)
    #expect(seen(["198.51.100.1", "203.0.113.7, 10.0.0.2"]) == client)
    #expect(seen(["203.0.113.7"], by: .socket) == client)
    // The client may write what it likes before; nobody else may.
    #expect(seen(["203.0.113.7"], by: try address("192.0.2.9")) == (try address("192.0.2.9")))
    for odd in [[], [""], ["unknown"], ["203.0.113.7:80"], ["10.0.0.2"], ["x, 10.0.0.2"]] {
      #expect(seen(odd) == .network(proxy), "\(odd)")
    }
    #expect(
      TrustedProxies([], isSocketTrusted: false).client(
        of: .socket, forwarded: ["203.0.113.7"]) == .socket)
  }

  @Test func `A connection without an address is this computer's only on a Unix socket`() throws {
    func proxies(_ listen: ListenAddress) throws(GuardServerError) -> TrustedProxies {
      try GuardServerSettings(listen: listen, tls: .none, proxies: ["unix"], stateFolder: "/x")
        .trustedProxies()
    }
    let socket = try proxies(.socket("/run/g"))
    #expect(socket.peer(nil) == .socket && socket.isProxy(.socket))
    #expect(socket.peer(try SocketAddress(unixDomainSocketPath: "/run/g")) == .socket)
    // One that was reset before the server asked who it is.
    let network = try proxies(.network("127.0.0.1", port: 1))
    let reset = network.peer(nil)
    #expect(reset == .unknown && !reset.isLocal && !network.isProxy(reset))
    #expect(network.client(of: reset, forwarded: ["203.0.113.7"]) == .unknown)
    let known = network.peer(try SocketAddress(ipAddress: "192.0.2.1", port: 1))
    #expect(known == (try address("192.0.2.1")))
    // All of them share one bucket, which is nobody else's.
    let limits = AddressLimits(perMinute: 1)
    #expect(limits.admit(1, of: .unknown, at: 0) && !limits.admit(1, of: .unknown, at: 0))
    #expect(limits.admit(1, of: .socket, at: 0))
  }

  @Test func `Connections are counted for each client`() throws {
    let counts = ConnectionCounts(limit: 2)
    let (one, two) = (try address("192.0.2.1"), try address("192.0.2.2"))
    #expect(counts.open(one) && counts.open(one) && !counts.open(one) && counts.open(two))
    counts.close(one)
    #expect(counts.open(one) && counts.total == 3)
    counts.close(two)
    #expect(counts.total == 2)
  }

  @Test func `An address to listen on is an IP address and port, or a path`() {
    #expect(ListenAddress("127.0.0.1:8443") == .network("127.0.0.1", port: 8443))
    #expect(ListenAddress("[::1]:0") == .network("::1", port: 0))
    #expect(ListenAddress("unix:/run/g") == .socket("/run/g"))
    for text in ["", "8443", ":8443", "::1:80", "[127.0.0.1]:80", "a:80", "1.2.3.4:-1", "unix:g"] {
      #expect(ListenAddress(text) == nil, "\(text)")
    }
    for text in ["127.0.0.1:1", "[::1]:1", "unix:/x"] {
      #expect(ListenAddress(text)?.isLocal == true && ListenAddress(text)?.text == text)
    }
    #expect(
      ListenAddress("0.0.0.0:1")?.isLocal == false && ListenAddress("[::]:1")?.isLocal == false)
  }

  @Test func `Tries are those of the last 60 minutes`() {
    var tries = TriesOfAnHour()
    let minute: UInt64 = 60_000_000_000
    for time: UInt64 in [0, 0, 30, 59] { tries.add(at: time * minute) }
    #expect(tries.count(at: 59 * minute) == 4)
    #expect(tries.count(at: 60 * minute) == 2)
    #expect(tries.count(at: 118 * minute) == 1)
    #expect(tries.count(at: 200 * minute) == 0)
    tries.add(at: 200 * minute)
    #expect(tries.count(at: 200 * minute) == 1)
  }
}

internal import Glibc

// This folder is for HTTP: which addresses are allowed, one request and its bounded answer. It
// knows no guard and no login.

/// A checked URL: https, or http to a loopback address.
///
/// It has no userinfo and no fragment, and only ASCII characters that RFC 3986 allows. So no two
/// parsers read it in two ways.
struct WebAddress: Equatable, Sendable {
  /// `https` or `http`.
  let scheme: String
  /// The host in lower case; an IPv6 address has its brackets.
  let host: String
  /// The port; nil stands for the scheme's own.
  let port: UInt16?
  /// The path; empty, or beginning with a slash.
  let path: String
  /// The query without its question mark.
  let query: String?

  /// The URL as text.
  var text: String { root + path + (query.map { "?" + $0 } ?? "") }

  private var root: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

  /// Whether it is http, and so only on this computer.
  var isPlain: Bool { scheme == "http" }

  /// Reads a URL.
  ///
  /// - Parameters:
  ///   - text: the URL.
  ///   - withQuery: whether it may have a query.
  /// - Throws: ``AskFailure/Reason/badURL``.
  init(_ text: String, withQuery: Bool = false) throws(AskFailure) {
    let marks = ["https://", "http://"]
    guard let mark = marks.first(where: { text.hasPrefix($0) }) else {
      throw AskFailure(.badURL, "the URL must begin with https://")
    }
    let rest = text.dropFirst(mark.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let (host, port) = try Self.authority(rest[..<end])
    var tail = rest[end...]
    var query: String?
    if withQuery, let start = tail.firstIndex(of: "?") {
      query = String(tail[tail.index(after: start)...])
      tail = tail[..<start]
    }
    guard Self.isPath(tail), query.map({ Self.areAllowed($0, beside: "/?") }) ?? true else {
      throw AskFailure(.badURL, "the URL has a query, a fragment or a character out of place")
    }
    scheme = String(mark.dropLast(3))
    self.host = host
    self.port = port
    path = String(tail)
    self.query = query
    guard !isPlain || LoopbackHost.names(host) else {
      throw AskFailure(.badURL, "http is allowed to this computer only: use https")
    }
  }

  private init(_ other: WebAddress, path: String) {
    (scheme, host, port) = (other.scheme, other.host, other.port)
    self.path = path
    query = nil
  }

  /// The address below this one.
  ///
  /// - Parameter path: begins with a slash. One at the end of this address is left out.
  /// - Returns: the address, without a query.
  func appending(_ path: String) -> WebAddress {
    let prefix = self.path.hasSuffix("/") ? String(self.path.dropLast()) : self.path
    return WebAddress(self, path: prefix + path)
  }

  private static func authority(_ text: Substring) throws(AskFailure) -> (String, UInt16?) {
    guard !text.contains("@") else {
      throw AskFailure(.badURL, "the URL must not have a user's name")
    }
    var host = text.lowercased()
    var port: UInt16?
    // A colon inside brackets is part of an IPv6 address.
    if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
      let digits = host[host.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (48...57).contains($0) }), digits.first != "0",
        let number = UInt16(digits)
      else { throw AskFailure(.badURL, "the URL's port is not valid") }
      port = number
      host = String(host[..<colon])
    }
    guard WebHost.isValid(host) else { throw AskFailure(.badURL, "the URL's host is not valid") }
    return (host, port)
  }

  /// Segments of pchar (RFC 3986, section 3.3), none of which leads upwards.
  private static func isPath(_ path: Substring) -> Bool {
    let segments = path.lowercased().split(separator: "/")
    return areAllowed(path, beside: "/")
      && !segments.contains { [".", "..", "%2e", "%2e%2e", ".%2e", "%2e."].contains($0) }
  }

  private static func areAllowed(_ text: some StringProtocol, beside others: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: continue
      case 0x25:
        let digits = rest.prefix(2)
        guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { return false }
        rest = rest.dropFirst(2)
      case _ where "-._~!$&'()*+,;=:@".utf8.contains(byte) || others.utf8.contains(byte): continue
      default: return false
      }
    }
    return true
  }
}

/// The syntax of a host.
enum WebHost {
  /// Whether a lower-case text is a name, an IPv4 address or an IPv6 address in brackets.
  static func isValid(_ host: String) -> Bool {
    if host.hasPrefix("[") {
      guard host.hasSuffix("]") else { return false }
      var address = in6_addr()
      return unsafe inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...253).contains(host.utf8.count), let last = labels.last,
      labels.allSatisfy({ label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F
          }
      })
    else { return false }
    // 127.1, 0x7f000001 and 2130706433 are addresses to the C library: only four numbers are here.
    let looksNumeric = last.first.map { ("0"..."9").contains($0) } ?? false
    return !looksNumeric || isIPv4(host)
  }

  /// Whether a text is four decimal numbers without leading zeros.
  static func isIPv4(_ host: String) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0).map { "\($0)" } == String($0) }
  }
}

/// The names of this computer.
enum LoopbackHost {
  /// Whether a valid host is a literal loopback address or `localhost`.
  static func names(_ host: String) -> Bool {
    host == "localhost" || host == "[::1]" || (WebHost.isIPv4(host) && host.hasPrefix("127."))
  }
}

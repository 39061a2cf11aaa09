internal import CSPP

// This folder is for HTTP: which addresses are allowed, one request and its bounded answer. It
// knows no guard and no login.

/// A `ServiceURL` in its parts, perhaps with a query.
///
/// An issuer's metadata may name addresses with a query. Everything before it follows the one rule
/// that headers follow too. The query has only ASCII characters that RFC 3986 allows.
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
    let mark = withQuery ? text.firstIndex(of: "?") : nil
    guard let url = ServiceURL(String(text[..<(mark ?? text.endIndex)])) else {
      throw AskFailure(
        .badURL,
        "the URL must begin with https:// (http:// only for localhost, 127.0.0.0/8 and [::1]), and "
          + "have a host, perhaps a port and a path")
    }
    query = mark.map { String(text[text.index(after: $0)...]) }
    guard query.map(Self.isQuery) ?? true else {
      throw AskFailure(.badURL, "the URL has a fragment or a character out of place")
    }
    scheme = url.text.hasPrefix("http://") ? "http" : "https"
    path = String(url.text.dropFirst(scheme.count + 3 + url.host.count))
    let authority = url.host.lowercased()
    // A colon inside brackets is part of an IPv6 address.
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      host = String(authority[..<colon])
      port = UInt16(authority[authority.index(after: colon)...])
    } else {
      host = authority
      port = nil
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

  /// Whether a text has only the characters of a query (RFC 3986, section 3.4).
  private static func isQuery(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: continue
      case 0x25:
        let digits = rest.prefix(2)
        guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { return false }
        rest = rest.dropFirst(2)
      case _ where "-._~!$&'()*+,;=:@/?".utf8.contains(byte): continue
      default: return false
      }
    }
    return true
  }
}

internal import NIOCore

/// The place at which the server listens.
public enum ListenAddress: Equatable, Sendable {
  /// An IP address and a port; with port 0 the system chooses one.
  case network(String, port: Int)
  /// A Unix socket at this path.
  case socket(String)

  /// Reads `127.0.0.1:8443`, `[::1]:8443` or `unix:/run/guard/socket`.
  ///
  /// A name is not taken: it may stand for another address tomorrow.
  ///
  /// - Returns: nil for another text.
  public init?(_ text: String) {
    if text.hasPrefix("unix:/") {
      self = .socket(String(text.dropFirst("unix:".count)))
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    guard IPAddress(host) != nil else { return nil }
    self = .network(host, port: Int(port))
  }

  /// Whether only programs of this computer can reach it.
  public var isLocal: Bool {
    switch self {
    case .network(let host, _): IPAddress(host)?.isLoopback ?? false
    case .socket: true
    }
  }

  /// The text that ``init(_:)`` reads.
  public var text: String {
    switch self {
    case .network(let host, let port): (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    case .socket(let path): "unix:\(path)"
    }
  }
}

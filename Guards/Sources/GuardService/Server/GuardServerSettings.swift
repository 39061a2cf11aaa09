/// The settings of a server.
public struct GuardServerSettings: Sendable {
  /// The sources of the server's certificate.
  public enum TLS: Equatable, Sendable {
    /// A certificate for this computer alone, made in this folder.
    case loopback(folder: String)
    /// Files in PEM: the certificate with its chain, and its private key.
    case files(certificate: String, key: String)
    /// Plain HTTP, for a proxy on this computer that does TLS.
    case none
  }

  /// The place at which it listens.
  public var listen: ListenAddress
  /// The source of its certificate.
  public var tls: TLS
  /// The addresses of forwarders whose header `X-Forwarded-For` counts; with `unix`, what comes by
  /// the Unix socket.
  public var proxies: [String]
  /// The requests a minute of one client; 0: no limit.
  public var requestsPerMinute: Int
  /// The most connections of one client.
  public var connectionsPerClient = 64
  /// The seconds for one request and its answer, and between two requests of a connection.
  public var requestSeconds: Int64 = 30
  /// The folder whose free space `/metrics` shows.
  public var stateFolder: String
  /// Whether requests are not logged.
  public var isQuiet: Bool

  /// Creates settings.
  public init(
    listen: ListenAddress, tls: TLS, proxies: [String] = [], requestsPerMinute: Int = 600,
    stateFolder: String, isQuiet: Bool = false
  ) {
    self.listen = listen
    self.tls = tls
    self.proxies = proxies
    self.requestsPerMinute = requestsPerMinute
    self.stateFolder = stateFolder
    self.isQuiet = isQuiet
  }

  /// Refuses settings that would serve nobody, or everybody without TLS.
  ///
  /// - Throws: ``GuardServerError``.
  func check() throws(GuardServerError) {
    switch tls {
    case .loopback:
      guard listen.isLocal else { throw .needsCertificate }
    case .none:
      guard listen.isLocal else { throw .plainBeyondThisComputer }
    case .files: break
    }
    if case .socket = listen, tls != .none { throw .socketIsPlain }
  }

  /// The forwarders.
  ///
  /// - Throws: ``GuardServerError/invalidProxy(_:)``.
  func trustedProxies() throws(GuardServerError) -> TrustedProxies {
    var addresses: Set<IPAddress> = []
    var isSocketTrusted = false
    for name in proxies {
      if name == "unix" {
        isSocketTrusted = true
      } else if let address = IPAddress(name) {
        addresses.insert(address)
      } else {
        throw .invalidProxy(name)
      }
    }
    let listensOnSocket = if case .socket = listen { true } else { false }
    return TrustedProxies(
      addresses, isSocketTrusted: isSocketTrusted, listensOnSocket: listensOnSocket)
  }
}

internal import CommandSupport
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import UnixSignals

/// The server of one guard.
public struct GuardServer: Sendable {
  /// The place at which it was reached, once it listens.
  public struct Listening: Equatable, Sendable {
    /// The address, with the port that was taken.
    public let address: ListenAddress
    /// The file with the authority that a client must be told to trust, if there is one.
    public let authority: String?
  }

  private let settings: GuardServerSettings
  private let service: any GuardAnswering
  private let proxies: TrustedProxies
  private let certificate: ServerCertificate?
  private let tls: CurrentTLS?

  /// Checks the settings and reads the certificate.
  ///
  /// - Parameters:
  ///   - settings: the settings.
  ///   - service: what answers.
  /// - Throws: ``GuardServerError``.
  public init(
    _ settings: GuardServerSettings, service: any GuardAnswering
  ) throws(GuardServerError) {
    try settings.check()
    self.settings = settings
    self.service = service
    proxies = try settings.trustedProxies()
    certificate = try ServerCertificate.find(settings.tls)
    tls = try certificate.map { files throws(GuardServerError) in CurrentTLS(try files.load()) }
  }

  /// Serves until SIGTERM or SIGINT, then lets the requests that are under way finish in their time.
  ///
  /// SIGHUP reads the certificate again; connections that are open keep theirs.
  ///
  /// - Parameters:
  ///   - environment: where systemd says how it wants to hear of the server.
  ///   - ready: called once, when it listens.
  /// - Throws: ``GuardServerError``.
  public func run(
    environment: [String: String], ready: @escaping @Sendable (Listening) -> Void
  ) async throws(GuardServerError) {
    let manager = ServiceManager(environment: environment)
    let logger = ServerLog.logger(isQuiet: settings.isQuiet)
    let application = application(logger) { channel in
      if case .socket(let path) = settings.listen { _ = unsafe chmod(path, 0o660) }
      try? await channel.pipeline.addHandler(AcceptErrors(logger: logger), position: .first)
      ready(Listening(address: taken(channel), authority: certificate?.authority))
      manager.tellReady()
    }
    var services: [any Service] = [application, SignsOfLife(manager: manager, service: service)]
    services.append(CertificateReload(certificate: certificate, tls: tls, logger: logger))
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: ServerLog.silent)
    configuration.maximumGracefulShutdownDuration = .seconds(settings.requestSeconds)
    do {
      try await ServiceGroup(configuration: configuration).run()
    } catch let error as IOError {
      throw .cannotListen(settings.listen, errno: error.errnoCode)
    } catch is CancellationError {
      // After a signal: requests took longer than they may.
    } catch {
      throw .ended("\(error)")
    }
  }

  private func application(
    _ logger: Logger, _ running: @escaping @Sendable (any Channel) async -> Void
  ) -> some ApplicationProtocol {
    let metrics = ServerMetrics()
    let counts = ConnectionCounts(limit: settings.connectionsPerClient)
    let responder = GuardResponder(
      service: service, proxies: proxies,
      limits: AddressLimits(perMinute: settings.requestsPerMinute), counts: counts,
      metrics: metrics, stateFolder: settings.stateFolder, logger: logger)
    let address: BindAddress =
      switch settings.listen {
      case .network(let host, let port): .hostname(host, port: port)
      case .socket(let path): .unixDomainSocket(path: path)
      }
    return Application(
      responder: responder,
      server: channels(counts: counts, metrics: metrics),
      configuration: ApplicationConfiguration(
        address: address,
        availableConnectionsDelegate: .maximum(OpenFiles.connections(), logger: ServerLog.silent)),
      onServerRunning: running, logger: ServerLog.silent)
  }

  /// The way from a connection to its requests.
  private func channels(counts: ConnectionCounts, metrics: ServerMetrics) -> HTTPServerBuilder {
    let limit = TimeAmount.seconds(settings.requestSeconds)
    let http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        ConnectionDeadline(limit: limit) { metrics.count(refused: .slow) }
      ],
      idleTimeout: .seconds(settings.requestSeconds),
      // A request has a few short headers; a proxy adds some.
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 8192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64))
    return HTTPServerBuilder { [tls, proxies] responder in
      GuardChannel(
        base: HTTP1Channel(responder: responder, configuration: http), tls: tls, counts: counts,
        proxies: proxies, metrics: metrics)
    }
  }

  private func taken(_ channel: any Channel) -> ListenAddress {
    if case .network(let host, _) = settings.listen, let port = channel.localAddress?.port {
      return .network(host, port: port)
    }
    return settings.listen
  }
}

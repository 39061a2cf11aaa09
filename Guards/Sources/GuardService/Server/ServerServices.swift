internal import CommandSupport
internal import Glibc
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import UnixSignals

/// Reads the certificate again at SIGHUP.
///
/// A file that is no good leaves the old one in force.
struct CertificateReload: Service {
  let certificate: ServerCertificate?
  let tls: CurrentTLS?
  let logger: Logger

  func run() async throws {
    // Taken also where there is nothing to reload: it would end the process.
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      guard let certificate, let tls else { continue }
      do throws(GuardServerError) {
        tls.replace(with: try certificate.load())
        logger.notice("certificate-reloaded")
      } catch {
        logger.error("certificate-unchanged", metadata: ["reason": "it cannot be read"])
      }
    }
  }
}

/// Tells systemd that the server is alive: that its tasks run and its state can be asked for.
struct SignsOfLife: Service {
  let manager: ServiceManager
  let service: any GuardAnswering

  func run() async throws {
    await cancelWhenGracefulShutdown {
      let pause = manager.aliveEvery ?? .seconds(3600)
      while (try? await Task.sleep(for: pause)) != nil {
        _ = await service.state()
        manager.tellAlive()
      }
    }
    manager.tellStopping()
  }
}

/// Keeps a connection that could not be accepted from ending the server.
final class AcceptErrors: ChannelInboundHandler, Sendable {
  typealias InboundIn = any Channel

  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    logger.warning("connection-not-accepted")
  }
}

/// How many files this process may have open.
enum OpenFiles {
  /// The most connections: half of the files, so that the database and others never lack one.
  ///
  /// The limit of files is raised as far as the system lets it be.
  static func connections() -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else { return 256 }
    let most = rlim_t(16_384)
    if limit.rlim_cur < limit.rlim_max, limit.rlim_cur < most {
      limit.rlim_cur = min(limit.rlim_max, most)
      _ = unsafe setrlimit(resource, &limit)
      _ = unsafe getrlimit(resource, &limit)
    }
    return Int(min(limit.rlim_cur, most) / 2)
  }
}

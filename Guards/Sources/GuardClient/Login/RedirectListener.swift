internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// Waits on 127.0.0.1, at a port that the system chooses, for the browser's return.
struct RedirectListener: Sendable {
  /// The most connections at a time.
  private static let maximum = 32

  private let channel: any Channel

  /// The port.
  var port: Int { channel.localAddress?.port ?? 0 }

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - group: its event loops.
  ///   - arrivals: takes each redirect that belongs to the login.
  /// - Returns: the listener.
  /// - Throws: ``AskFailure/Reason/login``.
  static func open(
    on group: MultiThreadedEventLoopGroup, _ arrivals: RedirectArrivals
  ) async throws(AskFailure) -> RedirectListener {
    let count = ConnectionCount()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 16)
      .childChannelInitializer { channel in
        guard count.begin(upTo: maximum) else { return channel.close() }
        channel.closeFuture.whenComplete { _ in count.end() }
        return channel.eventLoop.submit { try configure(channel, arrivals) }
      }
    do {
      return RedirectListener(channel: try await bootstrap.bind(host: "127.0.0.1", port: 0).get())
    } catch {
      throw AskFailure(.login, "no port on this computer is free for the browser's return")
    }
  }

  private static func configure(
    _ channel: any Channel, _ arrivals: RedirectArrivals
  ) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 2 * AskedLogin.maximumRedirect
    limits.maxHeaderListSize = 4 * AskedLogin.maximumRedirect
    limits.maxHeaderFieldCount = 100
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(10)))
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(RedirectHandler(arrivals))
    // A browser that sends a byte now and then is no browser.
    let end = channel.eventLoop.scheduleTask(in: .seconds(60)) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in end.cancel() }
  }

  /// Stops listening; answers under way are still sent.
  func close() async { try? await channel.close() }
}

/// The number of open connections.
private final class ConnectionCount: Sendable {
  private let count = Mutex(0)

  func begin(upTo limit: Int) -> Bool {
    count.withLock { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
  }

  func end() { count.withLock { $0 -= 1 } }
}

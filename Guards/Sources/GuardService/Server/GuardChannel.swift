internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The TLS settings that new connections get; they can be exchanged while others are open.
final class CurrentTLS: Sendable {
  private let context: Mutex<NIOSSLContext>

  init(_ context: NIOSSLContext) { self.context = Mutex(context) }

  /// The settings in force.
  var value: NIOSSLContext { context.withLock { $0 } }

  /// Gives other settings to the connections from here on.
  func replace(with next: NIOSSLContext) { context.withLock { $0 = next } }
}

/// A connection: counted for its client, with TLS below HTTP unless a proxy does that.
struct GuardChannel<Base: ServerChildChannel>: ServerChildChannel {
  let base: Base
  /// Nil for plain HTTP.
  let tls: CurrentTLS?
  let counts: ConnectionCounts
  let proxies: TrustedProxies
  let metrics: ServerMetrics

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    let peer = proxies.peer(channel.remoteAddress)
    // A proxy's connections are many clients'.
    let isRefused = !proxies.isProxy(peer) && !counts.open(peer)
    if isRefused {
      metrics.count(refused: .connections)
    } else if !proxies.isProxy(peer) {
      channel.closeFuture.whenComplete { [counts] _ in counts.close(peer) }
    }
    return channel.eventLoop.makeCompletedFuture {
      if let tls {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.value))
      }
    }.flatMap {
      base.setup(channel: channel, logger: logger)
    }.map { value in
      // Not an error, which would end the server.
      if isRefused { channel.close(promise: nil) }
      return value
    }
  }

  func handle(value: Base.Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

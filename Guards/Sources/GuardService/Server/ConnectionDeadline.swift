internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Ends a connection whose next request and answer are not through in time.
///
/// It does not matter how slowly the bytes come or go. The TLS handshake counts too, which comes
/// before the first request. A connection also ends after an answer that says so, as one to a body
/// that is too large.
final class ConnectionDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The time in which a client can still read the last answer, while what it sends is dropped.
  private static let lingering = TimeAmount.milliseconds(500)

  private let limit: TimeAmount
  private let expired: @Sendable () -> Void
  private var timer: Scheduled<Void>?
  private var isLastAnswer = false
  private var isEnding = false

  /// - Parameters:
  ///   - limit: the time for one request and its answer.
  ///   - expired: called for a connection that took longer.
  init(limit: TimeAmount, expired: @escaping @Sendable () -> Void) {
    self.limit = limit
    self.expired = expired
  }

  func handlerAdded(context: ChannelHandlerContext) { start(context) }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !isEnding { context.fireChannelRead(data) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head):
      isLastAnswer = head.headerFields[.connection] == "close"
      context.write(data, promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      guard isLastAnswer else {
        context.write(data, promise: promise)
        start(context)
        return
      }
      isEnding = true
      context.writeAndFlush(data, promise: promise)
      schedule(context, after: Self.lingering) { context in context.close(promise: nil) }
    }
  }

  private func start(_ context: ChannelHandlerContext) {
    schedule(context, after: limit) { [expired] context in
      expired()
      context.close(promise: nil)
    }
  }

  private func schedule(
    _ context: ChannelHandlerContext, after time: TimeAmount,
    _ end: @escaping (ChannelHandlerContext) -> Void
  ) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { end(context) }
  }
}

@available(*, unavailable)
extension ConnectionDeadline: Sendable {}

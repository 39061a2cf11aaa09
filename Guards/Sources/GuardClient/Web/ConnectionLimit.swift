internal import NIOCore
internal import NIOHTTP1

/// Ends a connection that delivers more bytes than any allowed answer has: endless headers, chunks
/// or interim answers.
final class ConnectionLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The most bytes after TLS, 128 KiB.
  static let maximum = 131_072

  private var count = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    count += unwrapInboundIn(data).readableBytes
    guard count > Self.maximum else { return context.fireChannelRead(data) }
    context.fireErrorCaught(AskFailure(.tooLarge, "the answer is too large"))
    context.close(promise: nil)
  }

  /// Puts one before the decoder of HTTP.
  static func install(in channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.submit {
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      try pipeline.addHandler(ConnectionLimit(), position: .before(decoder))
    }
  }
}

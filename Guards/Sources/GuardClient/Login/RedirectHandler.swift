internal import NIOCore
internal import NIOHTTP1

/// Answers one request of a browser on the loopback address, then closes.
final class RedirectHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let arrivals: RedirectArrivals
  private var isAnswered = false

  init(_ arrivals: RedirectArrivals) { self.arrivals = arrivals }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data), !isAnswered else { return }
    isAnswered = true
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first == "/", head.method == .GET else {
      return answer(.notFound, head, context)
    }
    let verdict = arrivals.take(query: parts.count == 2 ? String(parts[1]) : "")
    answer(RedirectPage(verdict), head, context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A browser opens connections that it may never use.
    if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func answer(
    _ page: RedirectPage, _ request: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    let body = ByteBuffer(string: page.text)
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: page.status),
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Content-Length": "\(body.readableBytes)",
        "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'",
        "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
        "Connection": "close",
      ])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}

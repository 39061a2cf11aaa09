internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// The libraries' errors as reasons of ours.
enum WebFailure {
  /// The reason for an error before an answer began.
  static func before(_ error: any Error) -> AskFailure {
    common(error) ?? AskFailure(.unreachable, "no connection, or it ended before the answer")
  }

  /// The reason for an error inside an answer.
  static func within(_ error: any Error) -> AskFailure {
    common(error) ?? AskFailure(.unreachable, "the connection ended inside the answer")
  }

  private static func common(_ error: any Error) -> AskFailure? {
    switch error {
    case let failure as AskFailure: return failure
    case is CancellationError: return AskFailure(.cancelled, "cancelled")
    case is NIOTooManyBytesError: return AskFailure(.tooLarge, "the answer is too large")
    case HTTPParserError.invalidEOFState: return nil
    case is HTTPParserError:
      return AskFailure(.protocol, "the answer is not HTTP")
    case let error as NIOSSLError where error != .uncleanShutdown: return tls(error)
    case is NIOSSLExtraError:
      return AskFailure(.tls, "its certificate is for another name")
    case is BoringSSLError: return tls(error)
    case let error as HTTPClientError: return client(error)
    case let error as ChannelError:
      if case .connectTimeout = error { return AskFailure(.timeout, "no connection in time") }
      return nil
    default: return nil
    }
  }

  private static func tls(_ error: any Error) -> AskFailure {
    let text = "\(error)"
    return AskFailure(
      .tls,
      text.contains("CERTIFICATE_VERIFY_FAILED")
        ? "this computer does not trust its certificate, or it has expired"
        : "it does not speak TLS")
  }

  private static func client(_ error: HTTPClientError) -> AskFailure? {
    switch error {
    case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
      AskFailure(.timeout, "no connection in time")
    case .readTimeout, .writeTimeout, .deadlineExceeded:
      AskFailure(.timeout, "no answer in time")
    case .cancelled: AskFailure(.cancelled, "cancelled")
    case .remoteConnectionClosed: nil
    case .invalidURL, .emptyHost, .emptyScheme: AskFailure(.badURL, "the URL is not valid")
    default: AskFailure(.protocol, "the exchange broke the rules of HTTP")
    }
  }
}
